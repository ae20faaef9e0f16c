import { randomInt } from "node:crypto";

/** Letters and digits that cannot be confused on a label. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Groups characters by four, as on a device's label. Hyphens are not part of the code. */
const grouped = (code: string) => code.replaceAll(/(.{4})(?=.)/g, "$1-");

function build(minLength: number, letterAt: (index: number) => string): string {
  return grouped(Array.from({ length: Math.max(8, minLength) }, (_, i) => letterAt(i)).join(""));
}

/** Returns a random claim code. */
export const randomClaimCode = (minLength: number) =>
  build(minLength, () => alphabet.charAt(randomInt(alphabet.length)));

/** Returns an example claim code such as `ABCD-EFGH`. */
export const exampleClaimCode = (minLength: number) =>
  build(minLength, (i) => String.fromCharCode("A".charCodeAt(0) + (i % 26)));
