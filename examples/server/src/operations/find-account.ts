import type { Settings } from "../settings/settings.js";
import { describeNoAccount, selectAccount, useAccountTables } from "./account-tables.js";
import { done, failed, misused } from "./exit-codes.js";
import { onlyArgument } from "./only-argument.js";

const usage = "Usage: node examples/server/dist/main.js find-account <e-mail address>";

const readAccount = (settings: Settings, email: string) =>
  useAccountTables(settings, async (tables) => {
    const account = await selectAccount(tables, email)
      .select(["id", "email", "emailVerified"])
      .executeTakeFirst();
    if (account === undefined) return undefined;
    const { sessions } = await tables
      .selectFrom("session")
      .select(({ fn }) => fn.countAll().as("sessions"))
      .where("userId", "=", account.id)
      .where("expiresAt", ">", new Date().toISOString())
      .executeTakeFirstOrThrow();
    const { id, emailVerified } = account;
    return {
      id,
      email: account.email,
      emailVerified: Boolean(emailVerified),
      sessions: Number(sessions),
    };
  });

/**
 * Prints the account of an address as a line of JSON: its id, which the audit trail uses, whether the address is verified,
 * and how many sessions it has that have not expired. Returns the exit code.
 */
export async function findAccount(
  settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  const email = onlyArgument(args);
  if (email === undefined) {
    write(usage);
    return misused;
  }
  try {
    const account = await readAccount(settings, email);
    write(account ? JSON.stringify(account) : describeNoAccount(email));
    return account ? done : failed;
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
