import { silentLogger } from "@device-gateway/core";
import { createAuth } from "../accounts/create-auth.js";
import type { AccountDatabase } from "../accounts/database/account-database.js";
import { createPrintedMail } from "../accounts/mail/printed-mail.js";
import type { Mail, SendMail } from "../accounts/mail/send-mail.js";
import { createSmtpMail } from "../accounts/mail/smtp-mail.js";
import { toLocalUrl } from "../http/listen.js";
import { reasonOf } from "../reason-of.js";
import type { Settings } from "../settings/settings.js";
import { createPalette } from "../terminal/palette.js";
import {
  describeNoAccount,
  selectAccount,
  toAccountTables,
  useAccountDatabase,
} from "./account-tables.js";
import { counted } from "./counted.js";
import { done, failed, misused } from "./exit-codes.js";
import { onlyArgument } from "./only-argument.js";

const usage = "Usage: node examples/server/dist/main.js reset-factor <e-mail address>";

type Write = (line: string) => void;

/** Resets the factor of an account and mails its owner. Returns the exit code. */
async function reset(
  settings: Settings,
  database: AccountDatabase,
  userId: string,
  write: Write,
): Promise<number> {
  const { SMTP_URL, MAIL_FROM, PUBLIC_URL } = settings;
  const printMail = createPrintedMail({ print: write, palette: createPalette(false) });
  const deliver: SendMail =
    SMTP_URL === undefined ? printMail : createSmtpMail(SMTP_URL, MAIL_FROM);
  const mails: Mail[] = [];
  const sent: Promise<void>[] = [];
  const auth = await createAuth({
    database,
    // A command signs nothing.
    pepper: "",
    url: PUBLIC_URL ?? toLocalUrl(settings),
    urlIsPublic: true,
    sendMail(mail) {
      mails.push(mail);
      const sending = deliver(mail);
      sent.push(sending);
      return sending;
    },
    demo: undefined,
    logger: silentLogger,
    releaseDevices: async () => {},
  });
  const sessions = await auth.resetFactor(userId);
  write(
    `The second factor and its recovery codes are removed, and ${counted(sessions, "session")} ended. The next sign-in needs only the password.`,
  );
  try {
    await Promise.all(sent);
    return done;
  } catch (error) {
    write(
      `The owner got no notice: ${reasonOf(error)}. Check SMTP_URL and MAIL_FROM. Give the owner this mail, whose link takes the account back:`,
    );
    for (const mail of mails) await printMail(mail);
    return failed;
  }
}

/**
 * Removes the second factor of an account whose owner has lost it, with its recovery codes. It ends the account's sessions,
 * pending links and begun sign-ins, and mails the owner a notice with the link that takes the account back. Servers may be
 * running. Returns the exit code.
 */
export async function resetFactor(
  settings: Settings,
  args: readonly string[],
  write: Write,
): Promise<number> {
  const email = onlyArgument(args);
  if (email === undefined) {
    write(usage);
    return misused;
  }
  try {
    return await useAccountDatabase(settings, async (database) => {
      const account = await selectAccount(toAccountTables(database), email)
        .select(["id", "twoFactorEnabled"])
        .executeTakeFirst();
      if (account?.twoFactorEnabled) return reset(settings, database, account.id, write);
      write(
        account
          ? `The account of ${email} has no second factor. Nothing was changed.`
          : describeNoAccount(email),
      );
      return failed;
    });
  } catch (error) {
    write((error as Error).message);
    return failed;
  }
}
