import { expect, inject, onTestFinished, test } from "vitest";
import {
  createTemporaryDatabase,
  runOn,
} from "../../../../../packages/store-postgres/src/testing/temporary-database.js";
import { createBrowser, startServerWithMail } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { openPostgresAccounts } from "../database/postgres-accounts.js";
import { createPostgresRateLimits } from "./postgres-rate-limits.js";

useCheapScrypt();

const rule = { window: 3_600, max: 3 };

async function createDatabase(): Promise<string> {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  return url;
}

/** Starts two servers on one database. Returns a function that guesses a password on one of them, from one address. */
async function startServers() {
  const DATABASE_URL = await createDatabase();
  const servers = [await startServerWithMail({ DATABASE_URL })];
  const { DATA_DIR } = (servers[0] as (typeof servers)[0]).settings;
  servers.push(await startServerWithMail({ DATABASE_URL, DATA_DIR }));
  const browsers = servers.map(({ url }) => createBrowser(url));
  const guess = async (server: number, address: string) => {
    const body = { email: "ann@example.com", password: "wrong horse battery" };
    const headers = { "x-forwarded-for": address };
    const call = browsers[server]?.call("POST", "/api/auth/sign-in/email", body, headers);
    return (await call)?.status;
  };
  return { DATABASE_URL, guess };
}

test("servers on one Postgres count the guesses of an address together", async () => {
  const { guess } = await startServers();
  for (const server of [0, 1, 1]) expect(await guess(server, "198.51.100.7")).toBe(401);
  for (const server of [0, 1]) expect(await guess(server, "198.51.100.7")).toBe(429);
  expect(await guess(0, "198.51.100.8")).toBe(401);
});

test("simultaneous requests cannot exceed a limit, and a window without requests ends it", async () => {
  const { DATABASE_URL } = await startServers();
  const storages = await Promise.all(
    [1, 2].map(async () => {
      const database = await openPostgresAccounts(DATABASE_URL);
      onTestFinished(() => database.close());
      if (!("dialect" in database.handle)) throw new Error("not Postgres");
      return createPostgresRateLimits(database.handle);
    }),
  );
  const countAllowed = async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => storages.map((it) => it.consume("ann", rule))).flat(),
    );
    return outcomes.filter(({ allowed }) => allowed).length;
  };
  const shiftBy = (seconds: number) =>
    runOn(
      DATABASE_URL,
      `UPDATE device_gateway_accounts."rateLimit" SET "lastRequest" = "lastRequest" + ${seconds * 1_000}`,
    );
  expect(await countAllowed()).toBe(rule.max);
  expect(await countAllowed()).toBe(0);
  await shiftBy(-rule.window);
  expect(await countAllowed()).toBe(rule.max);
  // As if the clock of the database had been set back.
  await shiftBy(2 * rule.window);
  expect(await countAllowed()).toBe(rule.max);
});
