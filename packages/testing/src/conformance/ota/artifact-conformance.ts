import type { ArtifactFacts, ArtifactStore } from "@device-gateway/core/store";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { sampleImage, toArtifactFacts } from "../../fixtures/sample-image.js";

/** Opens the artifact store that the suite tests. */
export interface ArtifactHarness {
  /** Opens two handles over one empty storage. `dispose` releases both. */
  open(): Promise<{
    readonly handles: readonly [ArtifactStore, ArtifactStore];
    dispose(): Promise<void>;
  }>;
}

async function* inPieces(image: Uint8Array, pieceBytes = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < image.length; at += pieceBytes) yield image.slice(at, at + pieceBytes);
}

/** Returns size and hash of the bytes, because comparing them one by one takes seconds. */
async function readFacts(bytes: AsyncIterable<Uint8Array> | null): Promise<ArtifactFacts | null> {
  if (bytes === null) return null;
  const hash = sha256.create();
  let size = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: bytesToHex(hash.digest()), size };
}

const write = (store: ArtifactStore, image: Uint8Array) =>
  store.write({ expected: toArtifactFacts(image), content: inPieces(image) });

const isThere = async (store: ArtifactStore, name: string) =>
  (await store.open({ sha256: name, start: 0, end: 0 })) !== null;

type Case = (stores: readonly [ArtifactStore, ArtifactStore]) => Promise<void>;

const cases: Readonly<Record<string, Case>> = {
  "a written image is read whole and in any range, through either handle": async ([a, b]) => {
    const image = sampleImage(100_001);
    const { sha256: name, size } = toArtifactFacts(image);
    expect(await isThere(b, name)).toBe(false);
    expect(await b.open({ sha256: name, start: 0, end: 1 })).toBeNull();
    expect(await write(a, image)).toEqual({ kind: "stored" });
    expect(await isThere(b, name)).toBe(true);
    const ranges = [
      [0, size],
      [0, 1],
      [size - 1, size],
      [16_383, 16_385],
      [50_000, 50_000],
      [12_345, 98_765],
    ] as const;
    for (const [start, end] of ranges) {
      const read = await readFacts(await b.open({ sha256: name, start, end }));
      expect(read).toEqual(toArtifactFacts(image.slice(start, end)));
    }
  },

  "an image with another size or hash is not stored": async ([a, b]) => {
    const image = sampleImage(40_000);
    const expected = toArtifactFacts(image);
    const other = sampleImage(40_000, 2);
    const wrong = [
      [other, "sha256"],
      [image.slice(0, 39_999), "size"],
      [new Uint8Array(0), "size"],
      [Uint8Array.from([...image, 0]), "size"],
    ] as const;
    for (const [content, reason] of wrong) {
      const outcome = await a.write({ expected, content: inPieces(content) });
      expect(outcome).toEqual({ kind: "mismatch", reason });
    }
    for (const image of wrong.map(([content]) => content)) {
      expect(await isThere(b, toArtifactFacts(image).sha256)).toBe(false);
    }
    expect(await isThere(b, expected.sha256)).toBe(false);
    expect(await write(b, image)).toEqual({ kind: "stored" });
  },

  "stops reading content that is too long, and closes its stream": async ([a]) => {
    let given = 0;
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          given += 1_000;
          yield new Uint8Array(1_000);
        }
      } finally {
        closed = true;
      }
    }
    const outcome = await a.write({
      expected: toArtifactFacts(sampleImage(5_000)),
      content: endless(),
    });
    expect(outcome).toEqual({ kind: "mismatch", reason: "size" });
    expect(given).toBeLessThan(10_000);
    expect(closed).toBe(true);
  },

  "rejects when the content's stream fails, and stores nothing": async ([a, b]) => {
    const image = sampleImage(40_000);
    async function* broken() {
      yield image.slice(0, 20_000);
      throw new Error("broke off");
    }
    const expected = toArtifactFacts(image);
    await expect(a.write({ expected, content: broken() })).rejects.toThrow("broke off");
    expect(await isThere(b, expected.sha256)).toBe(false);
  },

  "an image is not found before it is complete": async ([a, b]) => {
    const image = sampleImage(40_000);
    const { sha256: name } = toArtifactFacts(image);
    async function* watched() {
      for await (const piece of inPieces(image)) {
        expect(await isThere(b, name)).toBe(false);
        yield piece;
      }
      expect(await isThere(b, name)).toBe(false);
    }
    await a.write({ expected: toArtifactFacts(image), content: watched() });
    expect(await isThere(b, name)).toBe(true);
  },

  "several callers can write the same image while others read it": async ([a, b]) => {
    const image = sampleImage(60_000);
    const whole = { sha256: toArtifactFacts(image).sha256, start: 0, end: image.length };
    await write(a, image);
    const reading = await b.open(whole);
    const outcomes = await Promise.all([a, b, a, b].map((store) => write(store, image)));
    expect(outcomes).toEqual(Array(4).fill({ kind: "stored" }));
    expect(await readFacts(reading)).toEqual(toArtifactFacts(image));
    expect(await readFacts(await a.open(whole))).toEqual(toArtifactFacts(image));
  },

  "a stream can be closed before its end": async ([a, b]) => {
    const image = sampleImage(200_000);
    const whole = { sha256: toArtifactFacts(image).sha256, start: 0, end: image.length };
    await write(a, image);
    for (let n = 0; n < 50; n++) {
      const iterator = (await b.open(whole))?.[Symbol.asyncIterator]();
      if (n % 2) await iterator?.next();
      await iterator?.return?.();
      expect(await iterator?.next()).toEqual({ done: true, value: undefined });
    }
  },
};

/**
 * Declares the conformance suite for an `ArtifactStore` as Vitest tests.
 *
 * @example
 * describeArtifactConformance("my images", { open: openTwoHandles });
 */
export function describeArtifactConformance(name: string, harness: ArtifactHarness): void {
  describe(`${name} conforms to the artifact port`, () => {
    for (const [title, run] of Object.entries(cases)) {
      it(title, async () => {
        const { handles, dispose } = await harness.open();
        try {
          await run(handles);
        } finally {
          await dispose();
        }
      });
    }
  });
}
