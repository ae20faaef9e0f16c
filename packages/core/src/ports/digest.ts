import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";

/** SHA-256 of a text in UTF-8, in base64url: what secrets are remembered by. */
export type Digest = (text: string) => string;

/** In plain JavaScript, for any runtime. */
export const portableDigest: Digest = (text) => toBase64Url(sha256(toUtf8(text)));
