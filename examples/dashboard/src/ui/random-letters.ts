const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns random letters and digits of Crockford's alphabet, 5 bits each. `crypto.randomUUID` needs HTTPS or localhost. */
export const randomLetters = (count: number): string =>
  [...crypto.getRandomValues(new Uint8Array(count))].map((byte) => alphabet[byte % 32]).join("");
