import { importVerifyingKey, type VerifyingKey } from "../../contract/index.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import type { ArtifactStore } from "./artifact-store.js";

/** A public key that releases are signed with; the private one never comes here. */
export interface FirmwareKey {
  /** What releases name it by (`signingKeyId`): 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly id: string;
  /** P-256 or Ed25519, as PEM (SubjectPublicKeyInfo). */
  readonly publicKey: string;
}

export interface FirmwareOptions {
  /** Releases signed with other keys are refused. */
  readonly keys: readonly FirmwareKey[];
  /** Where images are kept: `createFileArtifactStore` of `core/node`, or your own. */
  readonly artifacts: ArtifactStore;
}

/** What the use cases of releases work with. */
export interface Firmware {
  readonly keys: ReadonlyMap<string, VerifyingKey>;
  readonly artifacts: ArtifactStore;
}

const noArtifacts: ArtifactStore = {
  async write() {
    throw new StoreUnavailableError("No artifact store is set: pass `firmware` to createGateway.");
  },
  open: async () => null,
};

/**
 * Reads the keys.
 * @throws {TypeError} when one is unusable; the message says which and what to do.
 */
export async function toFirmware(options: FirmwareOptions | undefined): Promise<Firmware> {
  const { keys = [], artifacts = noArtifacts } = options ?? {};
  const known = new Map<string, VerifyingKey>();
  for (const { id, publicKey } of keys) {
    if (!/^[\w.-]{1,64}$/.test(id) || known.has(id)) {
      throw new TypeError(
        `firmware.keys: ${JSON.stringify(id)} is no id, or another key's. Give each key one of its own, of 1 to 64 of A-Z a-z 0-9 . _ -`,
      );
    }
    const key = await importVerifyingKey(publicKey);
    if (key === null) {
      throw new TypeError(
        `firmware.keys: "${id}" is not a public key of P-256 or Ed25519 in PEM. Make it of the private key: openssl pkey -in key.pem -pubout`,
      );
    }
    known.set(id, key);
  }
  return { keys: known, artifacts };
}
