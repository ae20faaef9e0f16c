import type { AuthContext } from "better-auth";
import { endPending } from "../address/mailed-token.js";

/**
 * Removes the second factor of an account with its recovery codes, and ends its sessions, pending links and begun sign-ins.
 * Returns how many sessions it ended. If it fails halfway, nobody can sign in to the account until it is repeated.
 */
export async function removeFactor(
  { adapter }: Pick<AuthContext, "adapter">,
  userId: string,
): Promise<number> {
  const where = [{ field: "userId", value: userId }];
  // Without its row, the factor accepts no code. The account needs one until the last statement, so that no sign-in
  // before it leaves a session behind.
  await adapter.deleteMany({ model: "twoFactor", where });
  await endPending({ adapter }, userId);
  const sessions = await adapter.deleteMany({ model: "session", where });
  await adapter.updateMany({
    model: "user",
    where: [{ field: "id", value: userId }],
    update: { twoFactorEnabled: false },
  });
  return sessions;
}
