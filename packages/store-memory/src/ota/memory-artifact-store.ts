import type { ArtifactStore } from "@device-gateway/core/store";
import { bytesToHex } from "@noble/hashes/utils.js";

const pieceBytes = 16 * 1024;

/**
 * Creates an artifact store that keeps images in memory. Stores with the same `images` share them.
 *
 * @example
 * const firmware = { keys, artifacts: createMemoryArtifactStore() };
 */
export function createMemoryArtifactStore(
  images: Map<string, Uint8Array> = new Map(),
): ArtifactStore {
  return {
    async write({ expected, content }) {
      const image = new Uint8Array(expected.size);
      let size = 0;
      for await (const piece of content) {
        if (size + piece.length > expected.size) return { kind: "mismatch", reason: "size" };
        image.set(piece, size);
        size += piece.length;
      }
      if (size !== expected.size) return { kind: "mismatch", reason: "size" };
      const sha256 = await globalThis.crypto.subtle.digest("SHA-256", image);
      if (bytesToHex(new Uint8Array(sha256)) !== expected.sha256) {
        return { kind: "mismatch", reason: "sha256" };
      }
      images.set(expected.sha256, image);
      return { kind: "stored" };
    },
    async open({ sha256: name, start, end }) {
      const image = images.get(name);
      return image === undefined ? null : piecesOf(image.subarray(start, end));
    },
  };
}

async function* piecesOf(image: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < image.length; at += pieceBytes) yield image.slice(at, at + pieceBytes);
}
