import { Client, type QueryConfig, type QueryResult } from "pg";
import { type MockInstance, vi } from "vitest";
import { migratePostgres } from "../migrations/migrate.js";
import { askOn, runOn } from "./temporary-database.js";

/** Removes every lock from a statement that it would wait for. */
const withoutLocks = (sql: string): string =>
  sql
    .replaceAll(/FOR UPDATE(?: OF \w+)?\b(?!(?: OF \w+)? SKIP LOCKED)/g, "")
    .replaceAll(/pg_advisory_xact_lock(_shared)?\(/g, "concat(");

/** Removes the locks from the store's functions in a database. */
export async function removeLocksOfFunctions(url: string): Promise<void> {
  await migratePostgres({ url });
  const functions = await askOn<{ sql: string }>(
    url,
    `SELECT pg_get_functiondef(oid) AS sql FROM pg_proc
     WHERE pronamespace = 'device_gateway'::regnamespace`,
  );
  for (const { sql } of functions) await runOn(url, withoutLocks(sql));
}

/** Removes the locks from the statements of every store in this process. */
export function removeLocks(): MockInstance {
  const { query } = Client.prototype as {
    query: (asked: Asked, ...rest: unknown[]) => Promise<QueryResult>;
  };
  return vi
    .spyOn(Client.prototype as { query: typeof query }, "query")
    .mockImplementation(function (this: Client, asked, ...rest) {
      return query.call(this, forgetful(asked), ...rest);
    });
}

type Asked = string | QueryConfig;

const forgetful = (asked: Asked): Asked =>
  typeof asked === "string" ? withoutLocks(asked) : { ...asked, text: withoutLocks(asked.text) };
