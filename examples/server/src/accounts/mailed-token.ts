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

/** Uses up a token. Returns its value, or undefined if the token is unknown, used, expired or for another purpose. */
export async function spendMailedToken(
  { internalAdapter }: Store,
  purpose: readonly string[],
  token: string,
): Promise<string | undefined> {
  const record = await internalAdapter.consumeVerificationValue(toIdentifier(purpose, token));
  return record?.value;
}

/** Makes every pending link and sign-in of a user invalid, such as a reset that an earlier address received. */
export async function endPending({ adapter }: Pick<AuthContext, "adapter">, userId: string) {
  await adapter.deleteMany({ model: "verification", where: [{ field: "value", value: userId }] });
}
