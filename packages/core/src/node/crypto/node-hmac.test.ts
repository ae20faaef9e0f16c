import fc from "fast-check";
import { expect, test } from "vitest";
import { portableHmac } from "../../ports/hmac.js";
import { nodeHmac } from "./node-hmac.js";

test("Node's HMAC equals the portable one", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.uint8Array({ maxLength: 300 }),
      (key, data) => {
        expect(new Uint8Array(nodeHmac(key, data))).toEqual(
          new Uint8Array(portableHmac(key, data)),
        );
      },
    ),
  );
});
