import { expect, it } from "vitest";
import { fitsNode } from "./fits-node.js";

it.each([
  ["20.19.0", 12, "fits"],
  ["20.19.0", 13, "cannot-run"],
  ["22.12.0", 12, "fits"],
  ["22.12.0", 13, "fits"],
  ["24.18.9", 12, "fits"],
  ["24.19.0", 12, "aborts"],
  ["24.19.0", 13, "fits"],
  ["26.0.0", 12, "aborts"],
])("on Node %s, better-sqlite3 %i: %s", (node, version, kind) => {
  expect(fitsNode(node, version === 13).kind).toBe(kind);
});
