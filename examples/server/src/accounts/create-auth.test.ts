import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  askOn,
  createTemporaryDatabase,
  runOn,
} from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { makeTempFolder } from "../testing/start-test-server.js";
import { createAuth } from "./create-auth.js";
import type { AccountDatabase } from "./database/account-database.js";
import {
  type AccountDatabaseSettings,
  openAccountDatabase,
} from "./database/open-account-database.js";

useCheapScrypt();

const start = (database: AccountDatabase, logger = silentLogger) =>
  createAuth({
    database,
    pepper: "p".repeat(32),
    url: "http://127.0.0.1:3000",
    urlIsPublic: true,
    sendMail: async () => {},
    demo: undefined,
    logger,
    releaseDevices: async () => {},
  });

async function open(settings: AccountDatabaseSettings): Promise<AccountDatabase> {
  const database = await openAccountDatabase(settings);
  onTestFinished(() => database.close());
  return database;
}

async function createPostgres(): Promise<string> {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  return url;
}

test.each(["SQLite", "Postgres"])(
  "servers that start at the same time on %s create the accounts' tables once",
  async (kind) => {
    const DATA_DIR = await makeTempFolder();
    const DATABASE_URL = kind === "Postgres" ? await createPostgres() : undefined;
    const databases = await Promise.all([1, 2, 3, 4].map(() => open({ DATA_DIR, DATABASE_URL })));
    const auths = await Promise.all(databases.map((database) => start(database)));
    const body = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
    // All servers share one table, so only one sign-up with this address succeeds.
    const signUps = await Promise.allSettled(auths.map(({ api }) => api.signUpEmail({ body })));
    expect(signUps.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  },
);

test("an error of the database for which better-auth has an answer of its own is in the log", async () => {
  const DATA_DIR = await makeTempFolder();
  const lines: unknown[] = [];
  const error = (fields: object, message: string) => void lines.push({ ...fields, message });
  const database = await open({ DATA_DIR, DATABASE_URL: undefined });
  const { api } = await start(database, { ...silentLogger, error });
  const tables = new Sqlite(join(DATA_DIR, "accounts.db"));
  onTestFinished(() => void tables.close());
  tables.exec(`CREATE TRIGGER full BEFORE INSERT ON user BEGIN
    SELECT RAISE(ABORT, 'no space left'); END`);
  const body = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
  await expect(api.signUpEmail({ body })).rejects.toThrow();
  const err = expect.objectContaining({ message: "no space left" });
  expect(lines).toContainEqual({ from: "accounts", err, message: "Failed to create user" });
});

test("on Postgres the accounts have a schema of their own, and later starts need no right to create it", async () => {
  const DATABASE_URL = await createPostgres();
  const DATA_DIR = await makeTempFolder();
  await start(await open({ DATA_DIR, DATABASE_URL }));
  const tables = await askOn<{ schemaname: string; tablename: string }>(
    DATABASE_URL,
    "SELECT schemaname, tablename FROM pg_tables WHERE tablename IN ('user', 'session') ORDER BY 2",
  );
  expect(tables).toEqual([
    { schemaname: "device_gateway_accounts", tablename: "session" },
    { schemaname: "device_gateway_accounts", tablename: "user" },
  ]);
  const role = `runtime_${new URL(DATABASE_URL).pathname.slice(-8)}`;
  await runOn(
    DATABASE_URL,
    `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA device_gateway_accounts TO ${role};
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA device_gateway_accounts TO ${role}`,
  );
  onTestFinished(() => runOn(DATABASE_URL, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
  const asRole = new URL(DATABASE_URL);
  asRole.username = role;
  const { api } = await start(await open({ DATA_DIR, DATABASE_URL: asRole.href }));
  expect(await api.getSession({ headers: new Headers({ authorization: "Bearer x" }) })).toBeNull();
});
