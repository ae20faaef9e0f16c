import type { Settings } from "../settings/settings.js";
import { useAccountTables } from "./account-tables.js";
import { done, failed, misused } from "./exit-codes.js";

const usage = "Usage: node examples/server/dist/main.js find-account <e-mail address>";

const readAccount = (settings: Settings, email: string) =>
  useAccountTables(settings, async (tables) => {
    const account = await tables
      .selectFrom("user")
      .select(["id", "email", "emailVerified"])
      // better-auth stores addresses in lower case.
      .where("email", "=", email.toLowerCase())
      .executeTakeFirst();
    if (account === undefined) return undefined;
    const { sessions } = await tables
      .selectFrom("session")
      .select(({ fn }) => fn.countAll().as("sessions"))
      .where("userId", "=", account.id)
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
 * and how many sessions it has. Returns the exit code.
 */
export async function findAccount(
  settings: Settings,
  [email, ...others]: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  if (email === undefined || email.startsWith("-") || others.length > 0) {
    write(usage);
    return misused;
  }
  try {
    const account = await readAccount(settings, email);
    write(account ? JSON.stringify(account) : `There is no account with the address ${email}.`);
    return account ? done : failed;
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
