import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FirmwareKey } from "@device-gateway/core";
import { importVerifyingKey } from "@device-gateway/core/contract";
import type { Settings } from "../settings/settings.js";
import { StartError } from "../start-error.js";

/** A key file is named `<id>.public.pem`. Releases refer to the key by this id. */
const suffix = /\.public\.pem$/;

const unusable = (file: string) =>
  new StartError(
    `${file} is not a P-256 or Ed25519 public key. Create it from the private key: openssl pkey -in key.pem -pubout -out ${file}`,
  );

const unreadable = (cause: Error) =>
  new StartError(
    `The firmware's public keys cannot be read: ${cause.message}. Set FIRMWARE_KEYS to a folder of <id>.public.pem files or to one such file: FIRMWARE_KEYS=./keys npm start`,
    { cause },
  );

type KeySettings = Pick<Settings, "FIRMWARE_KEYS" | "DATA_DIR">;

interface KeyFile {
  readonly id: string;
  readonly file: string;
}

async function listFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => suffix.test(name));
  return names.sort().map((name) => join(path, name));
}

/**
 * Finds the public keys that releases are verified with: those of FIRMWARE_KEYS, else those in the folder `firmware-keys`
 * of the data folder, if it exists.
 * @throws {StartError} if they cannot be listed.
 */
export async function findFirmwareKeys({
  FIRMWARE_KEYS,
  DATA_DIR,
}: KeySettings): Promise<readonly KeyFile[]> {
  try {
    const files = await listFiles(FIRMWARE_KEYS ?? join(DATA_DIR, "firmware-keys"));
    return files.map((file) => ({ file, id: basename(file).replace(suffix, "") }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (FIRMWARE_KEYS === undefined && code === "ENOENT") return [];
    throw unreadable(error as Error);
  }
}

/**
 * Reads the public keys that releases are verified with.
 * @throws {StartError} if one cannot be read or is not a key.
 */
export async function readFirmwareKeys(settings: KeySettings): Promise<FirmwareKey[]> {
  return Promise.all(
    (await findFirmwareKeys(settings)).map(async ({ id, file }) => {
      const publicKey = await readFile(file, "utf8").catch((error: Error) => {
        throw unreadable(error);
      });
      if ((await importVerifyingKey(publicKey)) === null) throw unusable(file);
      return { id, publicKey };
    }),
  );
}
