import type { ArtifactFacts, ArtifactStore } from "@device-gateway/core/store";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { factsOf, sampleImage } from "../fixtures/sample-image.js";

/** What the suite needs of an artifact store under test. */
export interface ArtifactHarness {
  /** Opens two handles over one storage that holds nothing yet; `dispose` lets go of both. */
  open(): Promise<{
    readonly handles: readonly [ArtifactStore, ArtifactStore];
    dispose(): Promise<void>;
  }>;
}

async function* inPieces(image: Uint8Array, pieceBytes = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < image.length; at += pieceBytes) yield image.slice(at, at + pieceBytes);
}

/** What came, told by size and hash: comparing bytes one by one takes seconds. */
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
  store.write({ expected: factsOf(image), content: inPieces(image) });

const isThere = async (store: ArtifactStore, name: string) =>
  (await store.open({ sha256: name, start: 0, end: 0 })) !== null;

type Case = (stores: readonly [ArtifactStore, ArtifactStore]) => Promise<void>;

const cases: Readonly<Record<string, Case>> = {
  "what was written is read, whole and in any range, through either handle": async ([a, b]) => {
    const image = sampleImage(100_001);
    const { sha256: name, size } = factsOf(image);
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
      expect(read).toEqual(factsOf(image.slice(start, end)));
    }
  },

  "what was not expected is not kept": async ([a, b]) => {
    const image = sampleImage(40_000);
    const expected = factsOf(image);
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
      expect(await isThere(b, factsOf(image).sha256)).toBe(false);
    }
    expect(await isThere(b, expected.sha256)).toBe(false);
    expect(await write(b, image)).toEqual({ kind: "stored" });
  },

  "of what is too long, no more is read, and its end is told": async ([a]) => {
    let given = 0;
    let told = false;
    async function* endless() {
      try {
        for (;;) {
          given += 1_000;
          yield new Uint8Array(1_000);
        }
      } finally {
        told = true;
      }
    }
    const outcome = await a.write({ expected: factsOf(sampleImage(5_000)), content: endless() });
    expect(outcome).toEqual({ kind: "mismatch", reason: "size" });
    expect(given).toBeLessThan(10_000);
    expect(told).toBe(true);
  },

  "it rejects as the content does, and keeps nothing": async ([a, b]) => {
    const image = sampleImage(40_000);
    async function* broken() {
      yield image.slice(0, 20_000);
      throw new Error("broke off");
    }
    const expected = factsOf(image);
    await expect(a.write({ expected, content: broken() })).rejects.toThrow("broke off");
    expect(await isThere(b, expected.sha256)).toBe(false);
  },

  "nothing is found before all of it is there": async ([a, b]) => {
    const image = sampleImage(40_000);
    const { sha256: name } = factsOf(image);
    async function* watched() {
      for await (const piece of inPieces(image)) {
        expect(await isThere(b, name)).toBe(false);
        yield piece;
      }
      expect(await isThere(b, name)).toBe(false);
    }
    await a.write({ expected: factsOf(image), content: watched() });
    expect(await isThere(b, name)).toBe(true);
  },

  "many may write the same image, and read it meanwhile": async ([a, b]) => {
    const image = sampleImage(60_000);
    const whole = { sha256: factsOf(image).sha256, start: 0, end: image.length };
    await write(a, image);
    const reading = await b.open(whole);
    const outcomes = await Promise.all([a, b, a, b].map((store) => write(store, image)));
    expect(outcomes).toEqual(Array(4).fill({ kind: "stored" }));
    expect(await readFacts(reading)).toEqual(factsOf(image));
    expect(await readFacts(await a.open(whole))).toEqual(factsOf(image));
  },

  "a stream that is not read to its end can be let go of": async ([a, b]) => {
    const image = sampleImage(200_000);
    const whole = { sha256: factsOf(image).sha256, start: 0, end: image.length };
    await write(a, image);
    for (let n = 0; n < 50; n++) {
      const iterator = (await b.open(whole))?.[Symbol.asyncIterator]();
      if (n % 2) await iterator?.next();
      await iterator?.return?.();
      expect(await iterator?.next()).toEqual({ done: true, value: undefined });
    }
  },
};

/** Declares the promises of `ArtifactStore` for a store, as vitest tests. */
export function describeArtifactConformance(name: string, harness: ArtifactHarness): void {
  describe(`${name} keeps the promises of the artifact port`, () => {
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
