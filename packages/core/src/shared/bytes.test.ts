import { expect, test } from "vitest";
import { equalBytes } from "./bytes.js";

/** Wraps bytes so that each read of one is counted. */
function countReads(bytes: Uint8Array) {
  let reads = 0;
  const counted = new Proxy(bytes, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name, target) as unknown;
    },
  });
  return { counted, reads: () => reads };
}

test("a comparison of bytes reads all of them, wherever the first difference is", () => {
  const hash = new Uint8Array(32).fill(7);
  for (const at of [null, 0, 15, 31]) {
    const other = hash.slice();
    if (at !== null) other[at] = 8;
    const { counted, reads } = countReads(other);
    expect([at, equalBytes(hash, counted)]).toEqual([at, at === null]);
    expect([at, reads()]).toEqual([at, hash.length]);
  }
  expect(equalBytes(hash, hash.subarray(1))).toBe(false);
});
