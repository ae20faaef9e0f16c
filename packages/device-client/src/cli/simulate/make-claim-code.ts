import type { Random } from "../../retry.js";

/** Digits and letters without I, L, O and U: 5 bits each. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes a claim code of 80 random bits, which a server may store without a memory-hard hash (§1). */
export function makeClaimCode(random: Random): string {
  const letters = Array.from(random.bytes(16), (byte) => alphabet[byte & 31]).join("");
  return letters.replaceAll(/(.{4})(?=.)/g, "$1-");
}
