import type { FirmwareOptions } from "@device-gateway/core";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { createReleaseSigner, type ReleaseSigner } from "../../fixtures/release-signer.js";

let cached: Promise<[ReleaseSigner, ReleaseSigner]> | undefined;

/** Returns the suite's two signers: `key-1` (P-256) and `key-2` (Ed25519). */
export function signers(): Promise<[ReleaseSigner, ReleaseSigner]> {
  cached ??= Promise.all([createReleaseSigner("key-1"), createReleaseSigner("key-2", "ed25519")]);
  return cached;
}

/** Returns firmware options with the suite's keys and a new artifact store. */
export async function createWireFirmware(): Promise<FirmwareOptions> {
  const keys = (await signers()).map(({ key }) => key);
  return { keys, artifacts: createMemoryArtifactStore() };
}
