import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readFileIfAny, writePrivateFile } from "../../data/private-file.js";
import type { Settings } from "../../settings/settings.js";

/** The id of the key in the demo's release and on the demo gateway. */
export const demoKeyId = "demo";

export interface DemoKey {
  readonly privateKey: KeyObject;
  /** The public key. */
  readonly pem: string;
}

/** Returns the key of an earlier start, or creates one. */
async function loadOrCreate(file: string): Promise<KeyObject> {
  const text = await readFileIfAny(file);
  try {
    if (text !== undefined) return createPrivateKey(text);
  } catch {
    // The file is damaged: replace it.
  }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writePrivateFile(file, pem);
  return privateKey;
}

/**
 * Loads or creates the key that signs the demo's firmware, and writes its public key where the server looks for keys.
 * Returns null if FIRMWARE_KEYS is set, because the demo must not add a key to the operator's.
 */
export async function prepareDemoKey({
  FIRMWARE_KEYS,
  DATA_DIR,
}: Pick<Settings, "FIRMWARE_KEYS" | "DATA_DIR">): Promise<DemoKey | null> {
  if (FIRMWARE_KEYS !== undefined) return null;
  const folder = join(DATA_DIR, "firmware-keys");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const privateKey = await loadOrCreate(join(DATA_DIR, "demo-firmware.private.pem"));
  const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  await writePrivateFile(join(folder, `${demoKeyId}.public.pem`), pem);
  return { privateKey, pem };
}
