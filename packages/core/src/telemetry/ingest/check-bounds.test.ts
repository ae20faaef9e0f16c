import { expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.js";
import { checkBounds } from "./check-bounds.js";

test("§4 256 metrics, depth 8 and names of 128 characters are accepted, and one more is rejected", () => {
  const wide = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
  const deep = (depth: number): JsonObject => (depth === 1 ? { a: 1 } : { a: deep(depth - 1) });
  const long = (length: number) => ({ ["n".repeat(length)]: 1 });
  for (const fits of [wide(256), deep(8), long(128)]) {
    expect(checkBounds(fits).isOk()).toBe(true);
  }
  const refused = { too_many_metrics: wide(257), too_deep: deep(9), name_too_long: long(129) };
  for (const [code, record] of Object.entries(refused)) {
    expect(checkBounds(record)._unsafeUnwrapErr().code).toBe(code);
  }
});
