import fc from "fast-check";
import { expect, test } from "vitest";
import { parseClaimCode } from "./claim-code.js";

const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const code = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 6, maxLength: 64 });

test("§1 case, hyphens and spaces do not change a code", () => {
  const noise = fc.array(fc.constantFrom("-", " ", "\t", ""), { minLength: 65, maxLength: 65 });
  fc.assert(
    fc.property(code, noise, fc.infiniteStream(fc.boolean()), (plain, gaps, lower) => {
      const written = [...plain]
        .map((letter, i) => gaps[i] + (lower.next().value ? letter.toLowerCase() : letter))
        .join("");
      expect(parseClaimCode(written + gaps[64], 6)._unsafeUnwrap()).toBe(plain);
    }),
  );
});

test("§1 two different codes stay different", () => {
  fc.assert(
    fc.property(code, code, (a, b) => {
      const same = parseClaimCode(a, 6)._unsafeUnwrap() === parseClaimCode(b, 6)._unsafeUnwrap();
      expect(same).toBe(a === b);
    }),
  );
});

test("§1 the minimum length is an option, and the error names it", () => {
  expect(parseClaimCode("ABCD-EFGH", 8).isOk()).toBe(true);
  expect(parseClaimCode("ABCD-EFGH", 9)._unsafeUnwrapErr()).toContain("9 to 64");
  for (const invalid of ["", "-", "ABCDE\u0660", "ＡＢＣＤＥＦ", "ABCDEF_"]) {
    expect(parseClaimCode(invalid, 6).isErr()).toBe(true);
  }
});
