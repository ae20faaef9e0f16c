import { expect, inject, onTestFinished, test } from "vitest";
import {
  askOn,
  createTemporaryDatabase,
  runOn,
} from "../../../../../packages/store-postgres/src/testing/temporary-database.js";
import { createBrowser, startServerWithMail } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { openPostgresAccounts } from "../database/postgres-accounts.js";
import { createRateLimits } from "./create-rate-limits.js";

useCheapScrypt();

const rule = { window: 600, max: 3 };
const table = "device_gateway_accounts.request_count";

async function createDatabase(): Promise<string> {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  return url;
}

async function openLimits(url: string) {
  const database = await openPostgresAccounts(url);
  onTestFinished(() => database.close());
  return createRateLimits(database);
}

/** Creates the schema of the accounts, and opens the limits of two servers. */
async function openTwo() {
  const url = await createDatabase();
  await runOn(url, "CREATE SCHEMA device_gateway_accounts");
  const limits = await Promise.all([openLimits(url), openLimits(url)]);
  await Promise.all(limits.map((it) => it.prepare()));
  const shiftBy = (seconds: number) =>
    runOn(url, `UPDATE ${table} SET latest = latest + ${seconds}`);
  return { url, limits, shiftBy };
}

test("servers on one Postgres count the requests of an address together", async () => {
  const DATABASE_URL = await createDatabase();
  const first = await startServerWithMail({ DATABASE_URL });
  const { DATA_DIR } = first.settings;
  const second = await startServerWithMail({ DATABASE_URL, DATA_DIR });
  const { call: onFirst } = createBrowser(first.url);
  const { call: onSecond } = createBrowser(second.url);
  const ask = async (call: typeof onFirst, address: string) => {
    const body = { email: "ann@example.com" };
    const headers = { "x-forwarded-for": address };
    return (await call("POST", "/api/auth/request-password-reset", body, headers)).status;
  };
  for (const call of [onFirst, onSecond, onSecond])
    expect(await ask(call, "198.51.100.7")).toBe(200);
  for (const call of [onFirst, onSecond]) expect(await ask(call, "198.51.100.7")).toBe(429);
  expect(await ask(onFirst, "198.51.100.8")).toBe(200);
});

test("simultaneous requests cannot exceed a limit, and requests are allowed again after a window without any", async () => {
  const { url, shiftBy } = await openTwo();
  const countAllowed = async () => {
    // New servers, whose own counts do not refuse.
    const limits = await Promise.all([1, 2, 3].map(() => openLimits(url)));
    const outcomes = await Promise.all(
      Array.from({ length: 3 }, () => limits.map((it) => it.consume("ann", rule))).flat(),
    );
    return outcomes.filter(({ allowed }) => allowed).length;
  };
  expect(await countAllowed()).toBe(rule.max);
  expect(await countAllowed()).toBe(0);
  await shiftBy(-rule.window);
  expect(await countAllowed()).toBe(rule.max);
  // As if the clock of the database had been set back.
  await shiftBy(2 * rule.window);
  expect(await countAllowed()).toBe(rule.max);
});

test("a rule that allows many requests is counted by each server, without a query", async () => {
  const { url, limits } = await openTwo();
  for (const { consume } of limits) {
    const outcome = await consume("ann", { window: 600, max: 100 });
    expect(outcome.allowed).toBe(true);
  }
  expect(await askOn(url, `SELECT key FROM ${table} WHERE key = 'ann'`)).toEqual([]);
});

test("counts are deleted after an hour", async () => {
  const { url, limits, shiftBy } = await openTwo();
  await limits[0].consume("ann", rule);
  await shiftBy(-3_601);
  await limits[0].consume("bob", rule);
  await limits[1].removeOld();
  expect(await askOn(url, `SELECT key FROM ${table}`)).toEqual([{ key: "bob" }]);
});

test("the owner of the schema needs no right to create schemas, and a role without rights on the table is refused at the start", async () => {
  const { url } = await openTwo();
  const name = new URL(url).pathname.slice(1);
  const role = `limits_${name.slice(-8)}`;
  await runOn(
    url,
    `CREATE ROLE ${role} LOGIN; REVOKE CREATE ON DATABASE "${name}" FROM PUBLIC;
     GRANT USAGE ON SCHEMA device_gateway_accounts TO ${role}`,
  );
  onTestFinished(() => runOn(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
  const asRole = new URL(url);
  asRole.username = role;
  const limits = await openLimits(asRole.href);
  await expect(limits.prepare()).rejects.toThrow("permission denied for table request_count");
  await runOn(url, `DROP TABLE ${table}; ALTER SCHEMA device_gateway_accounts OWNER TO ${role}`);
  await limits.prepare();
});
