import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { Client } from "pg";
import type { Mail } from "../../../examples/server/src/accounts/mail/send-mail.js";
import { startServer } from "../../../examples/server/src/server.js";
import { Settings } from "../../../examples/server/src/settings/settings.js";
import {
  createBrowser,
  linkIn,
  password,
  tokenIn,
} from "../../../examples/server/src/testing/account-browser.js";
import { replaceScrypt } from "../../../examples/server/src/testing/replace-scrypt.js";
import { createAuthenticatorApp } from "../../../examples/server/src/testing/second-factor.js";
import { createStorage, type StorageKind } from "../storage.js";
import { newAddress } from "./account-requests.js";

export type AccountBrowser = ReturnType<typeof createBrowser>;
type Row = Readonly<Record<string, unknown>>;

export const operatorEmail = "operator@example.com";

/** What an attack must not change: every account with its password, linked accounts and second factors. */
const guarded = ["user", "account", "twoFactor"] as const;

/** Runs SQL on the accounts' database. */
type Ask = (sql: string) => Promise<readonly Row[]>;

async function openSql(settings: Settings): Promise<{ ask: Ask; close(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = settings;
  if (DATABASE_URL === undefined) {
    const database = new Sqlite(join(DATA_DIR, "accounts.db"));
    const ask: Ask = async (sql) => {
      const statement = database.prepare(sql);
      if (statement.reader) return statement.all() as Row[];
      statement.run();
      return [];
    };
    return { ask, close: async () => void database.close() };
  }
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query("SET search_path = device_gateway_accounts");
  return {
    ask: async (sql) => (await client.query(sql)).rows as Row[],
    close: () => client.end(),
  };
}

/** Signs in, with a client's address that no limit knows yet. */
export const signInFromElsewhere = (
  browser: AccountBrowser,
  credentials: { readonly email: string; readonly password: string },
) =>
  browser.call("POST", "/api/auth/sign-in/email", credentials, {
    "x-forwarded-for": newAddress(),
  });

/** Counts the slow hashes of this process until `stop`. */
function countHashes() {
  let count = 0;
  const scrypt = replaceScrypt(((...args: Parameters<typeof scrypt>) => {
    count += 1;
    scrypt(...args);
  }) as typeof scrypt);
  return { read: () => count, stop: () => void replaceScrypt(scrypt) };
}

/** Starts the bundled server with accounts, its mails and its database in reach. */
export async function setAccountScene(kind: StorageKind) {
  const folder = mkdtempSync(join(tmpdir(), "torture-accounts-"));
  const storage = await createStorage(kind);
  const settings = Settings.parse({
    PORT: 0,
    DATA_DIR: folder,
    TRUSTED_PROXIES: 1,
    OPERATOR_EMAILS: operatorEmail,
    ...(storage.place?.startsWith("postgres") && { DATABASE_URL: storage.place }),
  });
  const mails: Mail[] = [];
  /** Resolves when the mail server takes mails. */
  let delivery = Promise.resolve();
  const sendMail = async (mail: Mail) => {
    mails.push(mail);
    await delivery;
  };
  const hashes = countHashes();
  const { url, stop } = await startServer(settings, { logger: silentLogger, sendMail });
  const { ask, close } = await openSql(settings);
  const newest = (email: string, subject: string) =>
    mails.findLast((mail) => mail.to === email && mail.subject.includes(subject));
  return {
    url,
    mails,
    createBrowser: () => createBrowser(url),
    newest,
    linkIn,
    tokenIn,
    /** How many slow hashes have been computed. */
    slowHashes: hashes.read,
    /** Makes the mail server slow: it takes no mail until the returned function is called. */
    holdMails(): () => void {
      let release = () => {};
      delivery = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    /** Turns the second factor of a signed-in account on. */
    async enrol(browser: AccountBrowser): Promise<void> {
      const post = async (path: string, body: object) =>
        (await browser.call("POST", `/api/auth/two-factor/${path}`, body)).json() as Promise<Row>;
      const { totpURI } = await post("enable", { password });
      await post("verify-totp", { code: createAuthenticatorApp(String(totpURI)).next() });
    },
    /** Signs up. The address is verified only with `verified`. */
    async signUp(email: string, { verified = false } = {}): Promise<AccountBrowser> {
      const browser = createBrowser(url);
      await browser.signUp(email);
      if (verified) await browser.verify(newest(email, "Verify"), password);
      return browser;
    },
    /** Everything that an attack must not change, as text. */
    async read(): Promise<string> {
      const tables = [];
      for (const table of guarded) tables.push(await ask(`SELECT * FROM "${table}" ORDER BY "id"`));
      return JSON.stringify(tables);
    },
    /** Makes all sessions look older. */
    async age(ms: number): Promise<void> {
      for (const { id, ...times } of await ask(
        'SELECT "id", "createdAt", "updatedAt", "expiresAt" FROM "session"',
      )) {
        const changes = Object.entries(times).map(([column, time]) => {
          const earlier = new Date(new Date(time as string).getTime() - ms).toISOString();
          return `"${column}" = '${earlier}'`;
        });
        await ask(`UPDATE "session" SET ${changes.join(", ")} WHERE "id" = '${String(id)}'`);
      }
    },
    async readAccount(browser: AccountBrowser) {
      const site = (await (await browser.call("GET", "/api/site")).json()) as {
        account: { email: string; emailVerified: boolean; operator: boolean } | null;
      };
      return site.account;
    },
    async stop() {
      hashes.stop();
      await close();
      await stop();
      await storage.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type AccountScene = Awaited<ReturnType<typeof setAccountScene>>;
