import { existsSync, readFileSync } from "node:fs";
import pg from "pg";
import type { Place } from "./find-secrets.js";

const readFile = (what: string, file: string): Place[] =>
  existsSync(file) ? [{ what, bytes: readFileSync(file) }] : [];

/** Reads a whole database: SQLite's files, or every row of every Postgres table. */
export async function dump(place: string): Promise<readonly Place[]> {
  if (!place.startsWith("postgres")) {
    return ["", "-wal"].flatMap((suffix) => readFile(`the database${suffix}`, place + suffix));
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const places: Place[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${name} AS t`,
      );
      const text = rows.map(({ row }) => row).join("\n");
      // Postgres prints bytes in hexadecimal, so the decoded bytes are searched as well.
      const inBytes = [...text.matchAll(/\\+x([0-9a-f]+)/g)].map(([, hex = ""]) =>
        Buffer.from(hex, "hex"),
      );
      places.push({ what: name, bytes: Buffer.concat([Buffer.from(text), ...inBytes]) });
    }
    return places;
  } finally {
    await client.end();
  }
}
