import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  hasPgbouncer,
  startPgbouncer,
} from "../../../../../packages/store-postgres/src/testing/pgbouncer.js";
import { startTcpProxy } from "../../../../../packages/store-postgres/src/testing/tcp-proxy.js";
import { createTemporaryDatabase } from "../../../../../packages/store-postgres/src/testing/temporary-database.js";
import { toAccountTables } from "../../operations/account-tables.js";
import { openPostgresAccounts } from "./postgres-accounts.js";

async function createDatabase(): Promise<string> {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  return url;
}

/** Opens the accounts. Returns a function that runs a statement on one of their connections. */
async function open(url: string) {
  const database = await openPostgresAccounts(url);
  onTestFinished(() => database.close());
  const tables = toAccountTables(database);
  return async (statement: string) => (await sql.raw(statement).execute(tables)).rows;
}

const lookUp = "SELECT 1 AS found";

test("a connection that stopped answering fails one look-up, and the next one gets another connection", async () => {
  const proxy = await startTcpProxy(await createDatabase());
  onTestFinished(() => proxy.close());
  const run = await open(proxy.url);
  await run(lookUp);
  proxy.freeze();
  await expect(run(lookUp)).rejects.toThrow("The database took too long to answer.");
  proxy.thaw();
  expect(await run(lookUp)).toEqual([{ found: 1 }]);
});

test("the server ends statements and idle transactions that nobody waits for", async () => {
  const run = await open(await createDatabase());
  expect(await run("SHOW statement_timeout")).toEqual([{ statement_timeout: "4500ms" }]);
  expect(await run("SHOW idle_in_transaction_session_timeout")).toEqual([
    { idle_in_transaction_session_timeout: "1min" },
  ]);
});

test.skipIf(!hasPgbouncer)("a pooler that refuses these time-outs works without them", async () => {
  const bouncer = await startPgbouncer(await createDatabase());
  onTestFinished(() => bouncer.stop());
  const run = await open(bouncer.url);
  expect(await run(lookUp)).toEqual([{ found: 1 }]);
});
