import { expect, test } from "vitest";
import { systemRandom } from "../../ports/random.js";
import { createRequestIds } from "./request-id.js";

test("§0 a valid request id is kept, and any other is replaced by a unique one", () => {
  const requestIdOf = createRequestIds(systemRandom);
  expect(requestIdOf("req-1:a.b")).toBe("req-1:a.b");
  const fresh = ["", "a b", "x".repeat(129), undefined].map(requestIdOf);
  const many = Array.from({ length: 1_000 }, () => requestIdOf(undefined));
  for (const id of [...fresh, ...many]) expect(id).toMatch(/^[\w-]{16}$/);
  expect(new Set([...fresh, ...many]).size).toBe(fresh.length + many.length);
});
