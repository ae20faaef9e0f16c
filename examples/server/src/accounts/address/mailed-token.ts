import { randomBytes } from "node:crypto";
import type { AuthContext } from "better-auth";

type Store = Pick<AuthContext, "internalAdapter">;

interface TokenPurpose {
  /** What the token allows, including everything that the link carries and nobody may change. */
  readonly purpose: readonly string[];
  /** The record's value: whose token it is. */
  readonly value: string;
}

const toIdentifier = (purpose: readonly string[], token: string) =>
  JSON.stringify([...purpose, token]);

/** Creates a token for a mail. The database holds only a hash of it. */
export async function createMailedToken(
  { internalAdapter }: Store,
  { purpose, value }: TokenPurpose,
  lifetimeMs: number,
): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  const expiresAt = new Date(Date.now() + lifetimeMs);
  await internalAdapter.createVerificationValue({
    ...{ identifier: toIdentifier(purpose, token), value, expiresAt },
  });
  return token;
}

/**
 * Uses up a token. Returns whose it was and when it would have expired, or null if it is unknown, used, expired or for
 * another purpose.
 */
export const spendMailedToken = (
  { internalAdapter }: Store,
  purpose: readonly string[],
  token: string,
): Promise<{ readonly value: string; readonly expiresAt: Date } | null> =>
  internalAdapter.consumeVerificationValue(toIdentifier(purpose, token));

const linkMs = 3_600_000;

/** Creates the token of a link that verifies an address or resets a password, within an hour and once. */
export async function createLinkToken(
  { internalAdapter }: Store,
  purpose: "verify-email" | "reset-password",
  userId: string,
): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  const expiresAt = new Date(Date.now() + linkMs);
  // The form in which better-auth looks a password reset up.
  const identifier = `${purpose}:${token}`;
  await internalAdapter.createVerificationValue({ identifier, value: userId, expiresAt });
  return token;
}

/** Makes every pending link and sign-in of a user invalid, such as a reset that an earlier address received. */
export async function endPending({ adapter }: Pick<AuthContext, "adapter">, userId: string) {
  await adapter.deleteMany({ model: "verification", where: [{ field: "value", value: userId }] });
}
