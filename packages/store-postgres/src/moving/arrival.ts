import type { Client } from "pg";
import { lockClasses } from "../database/lock-numbers.js";
import { movedTable } from "../database/moved.js";
import { toSchema } from "../database/schema-name.js";
import { createSchema, grantRights } from "../migrations/migrate.js";
import { commentOf, createTombstone, type Move, toComment } from "./fence.js";
import { ask, inTransaction, toArriving } from "./mover-connection.js";

/** The schema in a target's database. */
export interface Arrival {
  readonly client: Client;
  readonly schema: string;
}

interface Found {
  /** The move that a schema came from or comes from. */
  readonly arriving: string | null;
  readonly live: string | null;
  readonly exists: boolean;
  readonly isTombstone: boolean;
}

async function find({ client, schema }: Arrival): Promise<Found> {
  const [found] = await ask<Found>(
    client,
    `SELECT ${commentOf("$2")} AS arriving, ${commentOf("$1")} AS live,
       EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS exists,
       EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = '${movedTable}')
         AS "isTombstone"`,
    [schema, toArriving(schema)],
  );
  return found as Found;
}

/** Returns whether the schema has arrived and servers may use it. */
export async function hasArrived(arrival: Arrival, move: Move): Promise<boolean> {
  return (await find(arrival)).live === toComment(move);
}

/**
 * Creates the tables under a name that no server looks for, unless this move has done so. `copied` lists the tables whose
 * rows have arrived.
 * @throws {Error} if the target has such a schema, or another one arrives there.
 */
export async function prepareArrival(arrival: Arrival, move: Move): Promise<void> {
  const { client, schema } = arrival;
  const arriving = toArriving(schema);
  await inTransaction(client, async () => {
    const toText = toSchema(schema);
    await client.query(toText(`SELECT pg_advisory_xact_lock(${lockClasses.migration}, 0)`));
    const found = await find(arrival);
    if (found.arriving === toComment(move)) return;
    if (found.arriving !== null) {
      throw new Error(
        `The target still has the schema of another move. If nobody needs its rows, run: DROP SCHEMA ${arriving} CASCADE`,
      );
    }
    if (found.exists && !found.isTombstone) {
      throw new Error(
        `The target has a schema "${schema}" already. If nobody needs it: DROP SCHEMA ${schema} CASCADE`,
      );
    }
    if (found.exists) await client.query(`DROP SCHEMA ${schema} CASCADE`);
    // The functions of the schema name its final name.
    await createSchema(client, schema);
    await client.query(`ALTER SCHEMA ${schema} RENAME TO ${arriving};
      COMMENT ON SCHEMA ${arriving} IS '${toComment(move)}';
      CREATE TABLE ${arriving}.copied (name text PRIMARY KEY)`);
    await createTombstone(client, schema);
  });
}

/**
 * Lets servers use the schema that has arrived.
 * @throws {Error} if nothing has arrived in this database.
 */
export async function endArrival(
  arrival: Arrival,
  move: Move,
  runtimeRole: string | undefined,
): Promise<void> {
  const { client, schema } = arrival;
  const arriving = toArriving(schema);
  await inTransaction(client, async () => {
    const found = await find(arrival);
    if (found.live === toComment(move)) {
      // The first call may have lacked the role.
      if (runtimeRole !== undefined) await grantRights(client, schema, runtimeRole);
      return;
    }
    if (found.arriving !== toComment(move)) {
      throw new Error(
        `The rows of "${schema}" were copied to another database. Name the databases of the first call.`,
      );
    }
    await client.query(`DROP TABLE ${arriving}.copied;
      DROP TABLE ${schema}.${movedTable}; DROP SCHEMA ${schema};
      ALTER SCHEMA ${arriving} RENAME TO ${schema}`);
    if (runtimeRole !== undefined) await grantRights(client, schema, runtimeRole);
  });
}

/** Deletes what has arrived of an undone move, if it is the latest one. */
export async function dropArrival(arrival: Arrival, move: Move): Promise<void> {
  if ((await find(arrival)).arriving !== toComment(move)) return;
  await arrival.client.query(`DROP SCHEMA ${toArriving(arrival.schema)} CASCADE`);
}
