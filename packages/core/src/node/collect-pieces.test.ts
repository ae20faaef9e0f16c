import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collectPieces } from "./collect-pieces.js";

test("pieces come back in their order, however many there are", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 9_000 }), (pieces) => {
      const { add, all } = collectPieces();
      const buffers = pieces.map((piece) => Buffer.from(piece));
      for (const buffer of buffers) add(buffer);
      expect(Buffer.concat(all()).equals(Buffer.concat(buffers))).toBe(true);
    }),
    { numRuns: 20, examples: [[Array.from({ length: 8_193 }, (_, n) => Uint8Array.of(n % 251))]] },
  );
});

test("a body that comes byte by byte takes up little more than its bytes", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const { add, all } = collectPieces();
  const count = 100_000;
  for (let n = 0; n < count; n++) add(Buffer.allocUnsafeSlow(1));
  const perByte = (heap() - before) / count;
  expect(all().length).toBeLessThan(200);
  expect(perByte).toBeLessThan(10);
});
