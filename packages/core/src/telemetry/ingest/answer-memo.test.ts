import fc from "fast-check";
import { expect, it } from "vitest";
import { RejectionCode } from "../../contract/index.js";
import { packMemo, unpackMemo } from "./answer-memo.js";

const rest = { serverTime: "2025-01-01T00:00:00.000Z", configVersion: "1", updateAvailable: false };

it("returns any rejections unchanged", () => {
  const reason = fc.record({
    code: fc.constantFrom(...RejectionCode.options),
    message: fc.constantFrom("Too early.", "Too late.", "."),
  });
  const rejections = fc
    .array(fc.option(reason, { nil: null }), { maxLength: 500 })
    .map((reasons) =>
      reasons.flatMap((each, index) => (each === null ? [] : [{ index, ...each }])),
    );
  fc.assert(
    fc.property(rejections, (rejected) => {
      const memo = { rejected, ...rest };
      expect(JSON.stringify(unpackMemo(packMemo(memo)))).toBe(JSON.stringify(memo));
    }),
  );
});

it("takes one byte per rejected record", () => {
  const message = "A record must be a JSON object.";
  const rejected = Array.from({ length: 500 }, (_, index) => ({
    ...{ index, code: "not_an_object" as const, message },
  }));
  expect(packMemo({ ...rest, rejected }).length).toBeLessThan(500 + 250);
});

it("reads what earlier versions stored", () => {
  const rejected = [{ index: 3, code: "too_deep" as const, message: "Too deep." }];
  expect(unpackMemo(JSON.stringify({ ...rest, rejected }))).toEqual({ ...rest, rejected });
});
