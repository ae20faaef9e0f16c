import type { Settings } from "../settings/settings.js";
import { useAccountTables } from "./account-tables.js";
import { counted } from "./counted.js";
import { done, failed, misused } from "./exit-codes.js";

const usage = "Usage: node examples/server/dist/main.js sign-everybody-out";

const deleteAll = (settings: Settings) =>
  useAccountTables(settings, (tables) =>
    tables.transaction().execute(async (transaction) => {
      // Links are deleted first, so that a link used at this moment cannot leave a new session behind.
      const links = await transaction.deleteFrom("verification").executeTakeFirst();
      const sessions = await transaction.deleteFrom("session").executeTakeFirst();
      return { links: Number(links.numDeletedRows), sessions: Number(sessions.numDeletedRows) };
    }),
  );

/**
 * Deletes every session of the accounts, including bearer tokens, and every unused mail link, in one transaction. Running
 * servers reject the sessions from the next request on. Returns the exit code.
 */
export async function signEverybodyOut(
  settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  if (args.length > 0) {
    write(usage);
    return misused;
  }
  try {
    const { links, sessions } = await deleteAll(settings);
    write(
      `Everybody is signed out: ${counted(sessions, "session")} and ${counted(links, "unused mail link")} ended.`,
    );
    return done;
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
