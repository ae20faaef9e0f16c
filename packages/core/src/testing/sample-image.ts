import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { ArtifactFacts } from "../ota/artifact-store.js";

/** Bytes that are no pattern, and the same for the same seed. */
export function sampleImage(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const image = new Uint8Array(size);
  let state = seed;
  for (let i = 0; i < size; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    image[i] = state >>> 24;
  }
  return image;
}

/** What a release says of an image. */
export const factsOf = (image: Uint8Array): ArtifactFacts => ({
  sha256: bytesToHex(sha256(image)),
  size: image.length,
});
