import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { reasonOf } from "../../reason-of.js";
import { importTrustedKeys, type PinnedKey } from "../../update/trusted-keys.js";
import { CliError, exitCodes } from "../command.js";

/**
 * Reads a public key that gateways were built with; `release.public.pem` and `release.pem` have the id
 * `release`. @throws {CliError} that says what is wrong with it.
 */
export async function readPinnedKey(file: string): Promise<PinnedKey> {
  const id = basename(file).replace(/(\.public)?\.pem$/, "");
  try {
    const key = { id, pem: await readFile(file, "utf8") };
    await importTrustedKeys([key]);
    return key;
  } catch (fault) {
    const why = reasonOf(fault);
    throw new CliError(`--key: ${file} is of no use: ${why}`, exitCodes.usage);
  }
}
