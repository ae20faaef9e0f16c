import type { FirmwareOptions } from "@device-gateway/core";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { createReleaseSigner, type ReleaseSigner } from "../fixtures/release-signer.js";

let made: Promise<[ReleaseSigner, ReleaseSigner]> | undefined;

/** The two keys of the suite: `key-1` of P-256, and `key-2` of Ed25519. */
export function signers(): Promise<[ReleaseSigner, ReleaseSigner]> {
  made ??= Promise.all([createReleaseSigner("key-1"), createReleaseSigner("key-2", "ed25519")]);
  return made;
}

/** What a gateway of the wire suite is given: the keys, and images of its own. */
export async function createWireFirmware(): Promise<FirmwareOptions> {
  const keys = (await signers()).map(({ key }) => key);
  return { keys, artifacts: createMemoryArtifactStore() };
}
