import { importVerifyingKey, type VerifyingKey } from "../../contract/index.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import type { ArtifactStore } from "./artifact-store.js";

/** A public key that verifies releases. The gateway never gets the private key. */
export interface FirmwareKey {
  /** The `signingKeyId` of releases: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly id: string;
  /** P-256 or Ed25519, in PEM (SubjectPublicKeyInfo). */
  readonly publicKey: string;
}

export interface FirmwareOptions {
  /** Releases that are signed with other keys are rejected. */
  readonly keys: readonly FirmwareKey[];
  /** Stores the images: `createFileArtifactStore` of `core/node`, or your own. */
  readonly artifacts: ArtifactStore;
}

/** The parsed options. */
export interface Firmware {
  readonly keys: ReadonlyMap<string, VerifyingKey>;
  readonly artifacts: ArtifactStore;
}

const noArtifacts: ArtifactStore = {
  async write() {
    throw new StoreUnavailableError("No artifact store is set. Pass `firmware` to createGateway.");
  },
  open: async () => null,
};

/**
 * Parses the options.
 * @throws {TypeError} if a key is unusable. The message says which one and what to do.
 */
export async function toFirmware(options: FirmwareOptions | undefined): Promise<Firmware> {
  const { keys = [], artifacts = noArtifacts } = options ?? {};
  const known = new Map<string, VerifyingKey>();
  for (const { id, publicKey } of keys) {
    if (!/^[\w.-]{1,64}$/.test(id) || known.has(id)) {
      throw new TypeError(
        `firmware.keys: ${JSON.stringify(id)} is not a valid id, or two keys have it. Give each key its own id of 1 to 64 of A-Z a-z 0-9 . _ -`,
      );
    }
    const key = await importVerifyingKey(publicKey);
    if (key === null) {
      throw new TypeError(
        `firmware.keys: "${id}" is not a P-256 or Ed25519 public key in PEM. Create it from the private key: openssl pkey -in key.pem -pubout`,
      );
    }
    known.set(id, key);
  }
  return { keys: known, artifacts };
}
