import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FirmwareKey } from "@device-gateway/core";
import { importVerifyingKey } from "@device-gateway/core/contract";
import type { Settings } from "./settings/settings.js";
import { StartError } from "./start-error.js";

/** `<id>.public.pem`: the id is what releases name the key by. */
const suffix = /\.public\.pem$/;

const unusable = (file: string) =>
  new StartError(
    `${file} is not a public key of P-256 or Ed25519. Make it of the private key: openssl pkey -in key.pem -pubout -out ${file}`,
  );

async function readKeys(path: string): Promise<FirmwareKey[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => suffix.test(name)).sort() : [""];
  return Promise.all(
    names.map(async (name) => {
      const file = isFolder ? join(path, name) : path;
      const id = basename(file).replace(suffix, "");
      const publicKey = await readFile(file, "utf8");
      if ((await importVerifyingKey(publicKey)) === null) throw unusable(file);
      return { id, publicKey };
    }),
  );
}

/**
 * Reads the public keys that releases are verified with: those of the settings, or of the folder
 * `firmware-keys` beside the database, if there is one.
 * @throws {StartError} when one can't be read, or is no key.
 */
export async function readFirmwareKeys({
  FIRMWARE_KEYS,
  DATA_DIR,
}: Pick<Settings, "FIRMWARE_KEYS" | "DATA_DIR">): Promise<FirmwareKey[]> {
  try {
    return await readKeys(FIRMWARE_KEYS ?? join(DATA_DIR, "firmware-keys"));
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (FIRMWARE_KEYS === undefined && code === "ENOENT") return [];
    throw new StartError(
      `The public keys of firmware can't be read: ${message}. Name a folder of <id>.public.pem files, or one such file: FIRMWARE_KEYS=./keys npm start`,
      { cause: error },
    );
  }
}
