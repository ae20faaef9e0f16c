import fc from "fast-check";
import { expect, test } from "vitest";
import { portableDigest } from "../../ports/digest.js";
import { nodeDigest } from "./node-digest.js";

test("Node's digest equals the portable one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => {
      expect(nodeDigest(text)).toBe(portableDigest(text));
    }),
  );
});
