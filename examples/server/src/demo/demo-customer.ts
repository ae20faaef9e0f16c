import { join } from "node:path";
import { writePrivateFile } from "../private-file.js";

/** Where the demo customer's token lies, so that commands need not show it. */
export const demoTokenFile = (folder: string) => join(folder, "demo-customer.token");

/** Leaves the demo customer's token for commands in a shell; another at each start. */
export const writeDemoToken = (folder: string, token: string): Promise<void> =>
  writePrivateFile(demoTokenFile(folder), `${token}\n`);
