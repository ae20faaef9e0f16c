import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { reasonOf } from "../../reason-of.js";
import { importTrustedKeys, type PinnedKey } from "../../update/offer/trusted-keys.js";
import { CliError, exitCodes } from "../command.js";

/**
 * Reads the public key that the gateways verify firmware with. Its id is `release` for
 * `release.public.pem` and `release.pem`. @throws {CliError} if the file is not a public key.
 */
export async function readPinnedKey(file: string): Promise<PinnedKey> {
  const id = basename(file).replace(/(\.public)?\.pem$/, "");
  try {
    const key = { id, pem: await readFile(file, "utf8") };
    await importTrustedKeys([key]);
    return key;
  } catch (fault) {
    const reason = reasonOf(fault);
    throw new CliError(`--key: ${file} cannot be used: ${reason}`, exitCodes.usage);
  }
}
