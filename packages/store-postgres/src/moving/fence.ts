import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { lockClasses } from "../database/lock-numbers.js";
import { movedTable } from "../database/moved.js";
import { toSchema } from "../database/schema-name.js";
import { migrations } from "../migrations/migrations.js";
import { ask, inTransaction, toFenced } from "./mover-connection.js";

/** `copying`: the move can be undone. `handed_over`: the targets have everything, and the source is never used again. */
type State = "copying" | "handed_over";

/** The move of a schema, as the source's database stores it. */
export interface Move {
  readonly id: string;
  readonly state: State;
}

const deadlock = "40P01";
const lockTimeout = "55P03";
/** Longest wait for the lock on one table. Servers wait for as long, because the tables before it are locked already. */
const lockMs = 200;
/** Pause after an attempt, in which servers run what has waited. */
const pauseMs = 300;
/** Attempts within about a minute. A gateway's transactions are short, but a long read may hold a table. */
const attempts = 120;

/** The comment of a schema names the move by which it came, because it stays with the schema when that is renamed. */
export const toComment = ({ id }: Pick<Move, "id">): string => `device-gateway move ${id}`;

/** SQL: the comment of a schema, or null if there is no such schema. */
export const commentOf = (parameter: string): string =>
  `(SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace
    WHERE nspname = ${parameter})`;

/** Whether the schema, and whether the renamed one, exist and have the table of the gateway's version. */
interface Found {
  readonly live: boolean;
  readonly fenced: boolean;
  readonly comment: string | null;
}

const hasTables = (parameter: string) => `EXISTS (SELECT FROM pg_tables
  WHERE schemaname = ${parameter} AND tablename = 'schema_version')`;

async function find(source: Client, schema: string): Promise<Found> {
  const [found] = await ask<Found>(
    source,
    `SELECT ${hasTables("$1")} AS live, ${hasTables("$2")} AS fenced, ${commentOf("$1")} AS comment`,
    [schema, toFenced(schema)],
  );
  return found as Found;
}

/** Returns the move that was begun. Null if there is none. */
export async function findMove(source: Client, schema: string): Promise<Move | null> {
  if (!(await find(source, schema)).fenced) return null;
  const [move] = await ask<Move>(source, `SELECT id, state FROM ${toFenced(schema)}.move`);
  return move ?? null;
}

async function checkSource(source: Client, schema: string): Promise<void> {
  const { live, fenced } = await find(source, schema);
  if (!live) throw new Error(`The source has no schema "${schema}" of a gateway.`);
  if (fenced) {
    throw new Error(
      `The source still has the schema of an earlier move. If nobody needs its rows, run: DROP SCHEMA ${toFenced(schema)} CASCADE`,
    );
  }
  const [row] = await ask<{ version: number }>(
    source,
    `SELECT version FROM ${schema}.schema_version`,
  );
  if (row?.version === migrations.length) return;
  throw new Error(
    `The schema "${schema}" has version ${row?.version}, but this program has version ${migrations.length}. Use the program of the servers, or migrate first.`,
  );
}

/** Leaves a schema of the same name, so that a server neither finds the tables nor creates empty ones. */
export async function createTombstone(client: Client, schema: string): Promise<void> {
  // A role without rights would get another error than "the table does not exist", which servers answer with 503.
  await client.query(`CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;
    CREATE TABLE ${schema}.${movedTable} ()`);
}

/**
 * Renames the schema after all transactions on it have ended. The lock on all tables waits for those, and a transaction that
 * waits for this lock finds no table with its name afterwards. No new partition can appear, because it locks its parent.
 */
async function fence(source: Client, schema: string): Promise<Move> {
  const id = randomUUID();
  await inTransaction(source, async () => {
    await source.query(`SET LOCAL lock_timeout = ${lockMs}`);
    const toText = toSchema(schema);
    await source.query(toText(`SELECT pg_advisory_xact_lock(${lockClasses.migration}, 0)`));
    await checkSource(source, schema);
    const tables = await ask<{ name: string }>(
      source,
      `SELECT c.oid::regclass::text AS name FROM pg_class AS c
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       ORDER BY c.oid`,
      [schema],
    );
    await source.query(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")}
      IN ACCESS EXCLUSIVE MODE`);
    await source.query(`ALTER SCHEMA ${schema} RENAME TO ${toFenced(schema)};
      CREATE TABLE ${toFenced(schema)}.move (id text NOT NULL, state text NOT NULL);
      INSERT INTO ${toFenced(schema)}.move VALUES ('${id}', 'copying')`);
    await createTombstone(source, schema);
  });
  return { id, state: "copying" };
}

/**
 * Ends all access to the schema, or returns the move that has done so. Afterwards each statement of a server fails with
 * "the table does not exist".
 * @throws {Error} if there is no such schema, or it has another version than this program.
 */
export async function beginMove(source: Client, schema: string): Promise<Move> {
  const begun = await findMove(source, schema);
  const { live, comment } = await find(source, schema);
  // After a split, the home has the store's old name and this move's comment. Any other schema of that name was moved
  // back later.
  if (begun !== null && (!live || comment === toComment(begun))) return begun;
  for (let attempt = 1; ; attempt++) {
    try {
      return await fence(source, schema);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if ((code !== deadlock && code !== lockTimeout) || attempt === attempts) throw error;
      await wait(pauseMs);
    }
  }
}

/**
 * Records that the targets may be used, and the source never again. This is the point at which the move takes place.
 * @throws {Error} if the move was undone meanwhile.
 */
export async function handOver(source: Client, schema: string, { id }: Move): Promise<void> {
  const done = await ask(
    source,
    `UPDATE ${toFenced(schema)}.move SET state = 'handed_over' WHERE id = $1 RETURNING id`,
    [id],
  );
  if (done.length === 0) {
    throw new Error("Another process undid the move. Start the move again if you still want it.");
  }
}

/**
 * Gives the schema its name back, so that servers can use it as before.
 * @throws {Error} if there is no move, or the targets may be in use.
 */
export async function undoMove(source: Client, schema: string): Promise<void> {
  await inTransaction(source, async () => {
    const fenced = toFenced(schema);
    const move = await findMove(source, schema);
    if (move === null) throw new Error(`The schema "${schema}" is not being moved.`);
    // Locks the row: another process may hand over now.
    const [current] = await ask<Move>(source, `SELECT state FROM ${fenced}.move FOR UPDATE`);
    if (current?.state !== "copying") {
      throw new Error(
        "The move has taken place, so the target may have newer data. Finish it by running it again. To bring the schema back, move it from the target.",
      );
    }
    await source.query(`DROP TABLE ${schema}.${movedTable}; DROP SCHEMA ${schema};
      DROP TABLE ${fenced}.move; DROP TABLE IF EXISTS ${fenced}.split_ids;
      ALTER SCHEMA ${fenced} RENAME TO ${schema}`);
  });
}
