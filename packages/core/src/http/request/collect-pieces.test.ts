import fc from "fast-check";
import { expect, test } from "vitest";
import { heapUsed, leastOfRounds } from "../../node/testing/heap-used.js";
import { collectPieces } from "./collect-pieces.js";

test("any number of pieces is joined in order", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 9_000 }), (pieces) => {
      const { add, joined } = collectPieces();
      const buffers = pieces.map((piece) => Buffer.from(piece));
      for (const buffer of buffers) add(buffer);
      expect(Buffer.concat(buffers).equals(joined())).toBe(true);
    }),
    { numRuns: 20, examples: [[Array.from({ length: 8_193 }, (_, n) => Uint8Array.of(n % 251))]] },
  );
});

test("a body that arrives byte by byte takes little more memory than its bytes", async () => {
  const count = 100_000;
  const perByte = await leastOfRounds(() => {
    const before = heapUsed();
    const { add, joined } = collectPieces();
    for (let n = 0; n < count; n++) add(Buffer.allocUnsafeSlow(1));
    const grown = heapUsed() - before;
    expect(joined().length).toBe(count);
    return grown / count;
  });
  expect(perByte).toBeLessThan(10);
});
