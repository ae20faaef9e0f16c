import type { Client } from "pg";
import type { Arrival } from "./arrival.js";
import { copyRows } from "./copy-rows.js";
import { ask, inTransaction, toArriving, toFenced } from "./mover-connection.js";

/** A table of the source: an ordinary one, or a partition of the telemetry. */
export interface Table {
  readonly name: string;
  /** Names of the columns, as SQL. */
  readonly columns: string;
  /** The bounds of a partition, as SQL. Null for other tables. */
  readonly bounds: string | null;
}

/**
 * Returns the query of the rows of a table that go to a target, or null if none do. `from` is the table's name. The query has the
 * columns of the table.
 */
export type RowsOf = (table: Table, from: string) => string | null;

/** All rows. */
export const allRows = ({ columns }: Table, from: string): string =>
  `SELECT ${columns} FROM ${from}`;

/** A schema, and which rows of the source go there. */
export interface Target extends Arrival {
  readonly rowsOf: RowsOf;
}

/** Tables of the move itself. */
const own = "('move', 'split_ids')";

/** Returns the tables of the fenced schema that hold rows. A table comes after those that it refers to, which are older. */
export async function listTables(source: Client, schema: string): Promise<readonly Table[]> {
  return ask<Table>(
    source,
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds,
       string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
     FROM pg_class AS c
     JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ${own}
     GROUP BY c.oid ORDER BY c.oid`,
    [toFenced(schema)],
  );
}

/** Returns how many bytes the tables and indexes of the fenced schema take on the disk. */
export async function sizeOf(source: Client, schema: string): Promise<number> {
  const [row] = await ask<{ bytes: string | null }>(
    source,
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
    [toFenced(schema)],
  );
  return Number(row?.bytes ?? 0);
}

/** Copies the rows of a table, unless they have arrived. Returns whether this call has copied them. */
export async function copyTable(
  source: Client,
  schema: string,
  target: Target,
  table: Table,
): Promise<boolean> {
  const { client } = target;
  const arriving = toArriving(target.schema);
  const [from, to] = [`${toFenced(schema)}.${table.name}`, `${arriving}.${table.name}`];
  const rows = target.rowsOf(table, from);
  if (rows === null) return false;
  return inTransaction(client, async () => {
    // Waits for the end of the same transaction of a mover that was killed just now.
    const first = await ask(
      client,
      `INSERT INTO ${arriving}.copied VALUES ($1) ON CONFLICT DO NOTHING RETURNING name`,
      [table.name],
    );
    if (first.length === 0) return false;
    const copy = async (options: string) => {
      await copyRows(
        source,
        `COPY (${rows}) TO STDOUT (FORMAT binary)`,
        client,
        `COPY ${to} (${table.columns}) FROM STDIN (FORMAT binary${options})`,
      );
    };
    if (table.bounds === null) await copyInto(client, to, copy);
    else await copyPartition(client, arriving, table, copy);
    await client.query(`ANALYZE ${to}`);
    return true;
  });
}

type CopyWith = (options: string) => Promise<void>;

/** Indexes are created after the rows, because that is faster. */
async function copyInto(client: Client, to: string, copy: CopyWith): Promise<void> {
  // Rows that the migrations have created.
  await client.query(`DELETE FROM ${to}`);
  const indexes = await ask<{ index: string; sql: string }>(
    client,
    `SELECT indexrelid::regclass::text AS index, pg_get_indexdef(indexrelid) AS sql FROM pg_index
     WHERE indrelid = $1::regclass
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [to],
  );
  for (const { index } of indexes) await client.query(`DROP INDEX ${index}`);
  await copy("");
  for (const { sql } of indexes) await client.query(sql);
}

/** A partition is attached when it has its rows, which creates its indexes. */
async function copyPartition(
  client: Client,
  arriving: string,
  { name, bounds }: Table,
  copy: CopyWith,
): Promise<void> {
  const [to, parent] = [`${arriving}.${name}`, `${arriving}.telemetry`];
  await client.query(
    `CREATE TABLE ${to} (LIKE ${parent}); ALTER TABLE ${to} REPLICA IDENTITY FULL`,
  );
  await copy(", FREEZE");
  await client.query(`ALTER TABLE ${parent} ATTACH PARTITION ${to} ${bounds}`);
}

/**
 * Makes the sequences of a target continue from the current values of the source's sequences. Returns how many there
 * are.
 */
export async function copySequences(
  source: Client,
  schema: string,
  { client, schema: targetSchema }: Arrival,
): Promise<number> {
  const fenced = toFenced(schema);
  const sequences = await ask<{ name: string }>(
    source,
    "SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'S'",
    [fenced],
  );
  for (const { name } of sequences) {
    const [state] = await ask<{ last: string; called: boolean }>(
      source,
      `SELECT last_value AS last, is_called AS called FROM ${fenced}.${name}`,
    );
    await ask(client, `SELECT setval($1::regclass, $2, $3)`, [
      `${toArriving(targetSchema)}.${name}`,
      state?.last,
      state?.called,
    ]);
  }
  return sequences.length;
}

interface Sum {
  readonly rows: string;
  readonly hash: string;
}

const sumOf = async (client: Client, columns: string, rows: string): Promise<Sum> => {
  const [sum] = await ask<Sum>(
    client,
    `SELECT count(*) AS rows,
       coalesce(sum(hashtextextended(ROW(${columns})::text, 0)), 0)::text AS hash
     FROM (${rows}) AS moved`,
  );
  return sum as Sum;
};

/**
 * Compares the number and a checksum of the rows that a target has with those of the source. Returns the number.
 * @throws {Error} if they differ.
 */
export async function verifyTable(
  source: Client,
  schema: string,
  target: Target,
  table: Table,
): Promise<number> {
  const { name, columns } = table;
  const query = target.rowsOf(table, `${toFenced(schema)}.${name}`);
  // Nothing arrives there.
  if (query === null) return 0;
  const [sent, arrived] = await Promise.all([
    sumOf(source, columns, query),
    sumOf(target.client, columns, allRows(table, `${toArriving(target.schema)}.${name}`)),
  ]);
  if (sent.rows === arrived.rows && sent.hash === arrived.hash) return Number(sent.rows);
  throw new Error(
    `${name}: ${sent.rows} rows were sent to "${target.schema}", and ${arrived.rows} with other checksums are there. Undo the move.`,
  );
}

/**
 * Compares how many rows the targets have together with the number of rows in the source.
 * @throws {Error} if they differ.
 */
export async function checkCounts(
  source: Client,
  schema: string,
  counts: ReadonlyMap<Table, number>,
  isDivided: (table: Table) => boolean = () => true,
): Promise<void> {
  for (const [table, arrived] of counts) {
    if (!isDivided(table)) continue;
    const [row] = await ask<{ rows: string }>(
      source,
      `SELECT count(*) AS rows FROM ${toFenced(schema)}.${table.name}`,
    );
    if (Number(row?.rows) === arrived) continue;
    throw new Error(
      `${table.name} has ${row?.rows} rows, and the targets have ${arrived} together. Undo the move.`,
    );
  }
}
