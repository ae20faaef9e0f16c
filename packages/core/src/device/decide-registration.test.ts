import fc from "fast-check";
import { expect, test } from "vitest";
import { decideRegistration, type RegistrationFacts } from "./decide-registration.js";

const facts: fc.Arbitrary<RegistrationFacts> = fc.record({
  revoked: fc.constant(false),
  owned: fc.boolean(),
  windowOpen: fc.boolean(),
  secretMatches: fc.boolean(),
  codeMatches: fc.boolean(),
  sameHardware: fc.boolean(),
  legacy: fc.boolean(),
  used: fc.boolean(),
});
function all(check: (given: RegistrationFacts) => void): void {
  const property = fc.property(facts, (given) => {
    check(given);
  });
  fc.assert(property, { numRuns: 1_000 });
}

test("§1 rule 1: the secret alone is sufficient proof", () => {
  all((given) => expect(decideRegistration({ ...given, secretMatches: true })).toBe(true));
});

test("§1 without the secret, other hardware never registers again", () => {
  all((given) => {
    const other = { ...given, secretMatches: false, sameHardware: false };
    expect(decideRegistration(other)).toBe(false);
  });
});

test("§1 an owned device registers again only with its secret or inside a re-enrolment window", () => {
  all((given) => {
    const owned = { ...given, owned: true, secretMatches: false, windowOpen: false };
    expect(decideRegistration(owned)).toBe(false);
  });
});

test("§1 a device with a claim code needs the code, and a legacy device must never have been used", () => {
  all((given) => {
    const noSecret = { ...given, secretMatches: false };
    const withoutCode = { ...noSecret, legacy: false, codeMatches: false };
    expect(decideRegistration(withoutCode)).toBe(false);
    expect(decideRegistration({ ...noSecret, legacy: true, used: true })).toBe(false);
  });
});

test("§1 additional proof never turns an acceptance into a refusal", () => {
  all((given) => {
    const withMoreProof = { ...given, secretMatches: true, codeMatches: true, sameHardware: true };
    if (decideRegistration(given)) expect(decideRegistration(withMoreProof)).toBe(true);
  });
});
