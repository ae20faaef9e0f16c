import fc from "fast-check";
import { expect, it } from "vitest";
import { packVerdicts, unpackVerdicts } from "./pack-verdicts.js";

it("takes one byte per verdict, and reads the JSON of earlier versions", () => {
  const verdict = fc.constantFrom("stored" as const, "duplicate" as const);
  fc.assert(
    fc.property(fc.array(verdict), (verdicts) => {
      const packed = packVerdicts(verdicts);
      expect(packed).toHaveLength(verdicts.length);
      expect(unpackVerdicts(packed)).toEqual(verdicts);
      expect(unpackVerdicts(JSON.stringify(verdicts))).toEqual(verdicts);
    }),
  );
});
