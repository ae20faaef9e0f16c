import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { FlashSlot } from "./update-ports.js";

/** SHA-256, a piece at a time. */
export interface ImageHash {
  update(bytes: Uint8Array): void;
  /** Lower-case hex. Nothing may follow. */
  digest(): string;
}

/** Starts a hash with the first bytes of what a slot holds. */
export async function hashImage(slot: FlashSlot, bytes: number): Promise<ImageHash> {
  const hash = sha256.create();
  if (bytes > 0) for await (const piece of slot.read(0, bytes)) hash.update(piece);
  return {
    update: (piece) => void hash.update(piece),
    digest: () => bytesToHex(hash.digest()),
  };
}
