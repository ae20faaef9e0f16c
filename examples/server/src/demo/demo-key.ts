import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readFileIfAny, writePrivateFile } from "../private-file.js";
import type { Settings } from "../settings/settings.js";

/** What the demo's release and the demo gateway call the key by. */
export const demoKeyId = "demo";

export interface DemoKey {
  readonly privateKey: KeyObject;
  /** The public half. */
  readonly pem: string;
}

/** The key of an earlier start, or a new one. */
async function loadOrCreate(file: string): Promise<KeyObject> {
  const text = await readFileIfAny(file);
  try {
    if (text !== undefined) return createPrivateKey(text);
  } catch {
    // Damaged: as good as none.
  }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writePrivateFile(file, pem);
  return privateKey;
}

/**
 * Makes the key that the demo's firmware is signed with, and puts its public half where the server
 * looks for keys. Null when the settings name other keys: theirs are not ours to add to.
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
