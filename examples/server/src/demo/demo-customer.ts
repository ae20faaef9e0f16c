import { join } from "node:path";
import { writePrivateFile } from "../data/private-file.js";

/** Returns the path of the demo customer's token. Commands read the token from there and do not show it. */
export const demoTokenFile = (folder: string) => join(folder, "demo-customer.token");

/** Writes the demo customer's token for shell commands. Each start replaces it. */
export const writeDemoToken = (folder: string, token: string): Promise<void> =>
  writePrivateFile(demoTokenFile(folder), `${token}\n`);
