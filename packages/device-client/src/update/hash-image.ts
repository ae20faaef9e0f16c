import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { FlashSlot } from "./update-ports.js";

/** An incremental SHA-256. */
export interface ImageHash {
  update(bytes: Uint8Array): void;
  /** Returns lower-case hex. No call may follow. */
  digest(): string;
}

/** Starts a hash with the first `bytes` bytes of a slot. */
export async function hashImage(slot: FlashSlot, bytes: number): Promise<ImageHash> {
  const hash = sha256.create();
  if (bytes > 0) for await (const piece of slot.read(0, bytes)) hash.update(piece);
  return {
    update: (piece) => void hash.update(piece),
    digest: () => bytesToHex(hash.digest()),
  };
}
