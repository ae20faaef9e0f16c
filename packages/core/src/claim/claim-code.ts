import { err, ok, type Result } from "neverthrow";

declare const normalised: unique symbol;
/** A claim code in the one form in which it is hashed and compared. */
export type ClaimCode = string & { readonly [normalised]: true };

/**
 * Normalises a claim code, identically at registration and at claim: upper case, hyphens and
 * spaces out; then 6 to 64 letters or digits (contract §1). The error says what it must be.
 */
export function parseClaimCode(text: string, minLength: number): Result<ClaimCode, string> {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase();
  if (code.length >= minLength && /^[A-Z0-9]{1,64}$/.test(code)) return ok(code as ClaimCode);
  return err(`${minLength} to 64 letters or digits; hyphens and spaces don't count`);
}
