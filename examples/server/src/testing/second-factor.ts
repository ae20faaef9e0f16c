import { codeOf, stepAt } from "../accounts/second-factor/one-time-codes.js";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** Simulates an authenticator app with the secret of an `otpauth:` address. `next` never returns a code twice. */
export function createAuthenticatorApp(address: string) {
  const secret = fromBase32(new URL(address).searchParams.get("secret") ?? "");
  let last = 0;
  return {
    next() {
      last = Math.max(last + 1, stepAt(Date.now()) - 1);
      return codeOf(secret, last);
    },
    /** The code that `next` returned last. */
    again: () => codeOf(secret, last),
  };
}
