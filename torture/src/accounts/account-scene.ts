import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { Client } from "pg";
import type { Mail } from "../../../examples/server/src/accounts/send-mail.js";
import { startServer } from "../../../examples/server/src/server.js";
import { Settings } from "../../../examples/server/src/settings/settings.js";
import {
  createBrowser,
  linkIn,
  password,
  tokenIn,
} from "../../../examples/server/src/testing/account-browser.js";
import { createStorage, type StorageKind } from "../storage.js";

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
  const sendMail = async (mail: Mail) => void mails.push(mail);
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
      await close();
      await stop();
      await storage.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type AccountScene = Awaited<ReturnType<typeof setAccountScene>>;
