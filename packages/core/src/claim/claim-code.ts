import { err, ok, type Result } from "neverthrow";

declare const normalised: unique symbol;
/** A normalised claim code. Only this form is hashed and compared. */
export type ClaimCode = string & { readonly [normalised]: true };

/**
 * Normalises a claim code, in the same way for registration and claim: upper case, without hyphens and spaces.
 * The result has `minLength` to 64 letters or digits (§1). The error says so.
 */
export function parseClaimCode(text: string, minLength: number): Result<ClaimCode, string> {
  const code = text.replaceAll(/[\s-]/g, "").toUpperCase();
  if (code.length >= minLength && /^[A-Z0-9]{1,64}$/.test(code)) return ok(code as ClaimCode);
  return err(`Use ${minLength} to 64 letters or digits. Hyphens and spaces do not count`);
}
