import { randomInt } from "node:crypto";

/** Letters and digits that nobody takes for one another on a label. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Groups of four, as on a device's label; hyphens don't count. */
const grouped = (code: string) => code.replaceAll(/(.{4})(?=.)/g, "$1-");

function build(minLength: number, letterAt: (index: number) => string): string {
  return grouped(Array.from({ length: Math.max(8, minLength) }, (_, i) => letterAt(i)).join(""));
}

/** A claim code that nobody can guess. */
export const randomClaimCode = (minLength: number) =>
  build(minLength, () => alphabet.charAt(randomInt(alphabet.length)));

/** A claim code to show how one looks: `ABCD-EFGH`. */
export const exampleClaimCode = (minLength: number) =>
  build(minLength, (i) => String.fromCharCode("A".charCodeAt(0) + (i % 26)));
