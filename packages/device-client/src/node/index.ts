export { createFileBuffer } from "./file-buffer.js";
export { createFileCredentials } from "./file-credentials.js";
