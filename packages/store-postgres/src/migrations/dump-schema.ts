import { createHash } from "node:crypto";
import { Client } from "pg";
import { migratePostgres } from "./migrate.js";
import { migrations } from "./migrations.js";

interface Part {
  readonly sql: string;
}

/** Queries that return the parts of the schema as SQL, in an order in which they can be loaded. */
const parts = [
  `SELECT 'CREATE SCHEMA device_gateway;' AS sql`,
  `SELECT format('CREATE SEQUENCE %s;', c.oid::regclass) AS sql FROM pg_class AS c
   WHERE c.relkind = 'S' AND c.relnamespace = 'device_gateway'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'i')
   ORDER BY c.relname`,
  `SELECT format(E'CREATE TABLE %s (\\n%s\\n)%s;', c.oid::regclass, string_agg(col.sql, E',\\n' ORDER BY a.attnum),
     coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), '')
       || coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')) AS sql
   FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
   LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum,
   LATERAL (SELECT concat('  ', quote_ident(a.attname), ' ', format_type(a.atttypid, a.atttypmod),
     CASE WHEN a.attcollation = 'pg_catalog."C"'::regcollation THEN ' COLLATE "C"' END,
     CASE WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY' END,
     ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
     CASE WHEN a.attnotnull THEN ' NOT NULL' END) AS sql) AS col
   WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'device_gateway'::regnamespace
   GROUP BY c.oid, c.relname, c.reloptions ORDER BY c.relname`,
  `SELECT format('ALTER TABLE %s ADD %s;', conrelid::regclass, pg_get_constraintdef(oid)) AS sql
   FROM pg_constraint WHERE connamespace = 'device_gateway'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
   ORDER BY contype = 'f', conrelid::regclass::text, contype, conname`,
  `SELECT pg_get_indexdef(i.indexrelid) || ';' AS sql FROM pg_index AS i
   JOIN pg_class AS c ON c.oid = i.indexrelid
   WHERE c.relnamespace = 'device_gateway'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype IN ('p', 'u'))
   ORDER BY c.relname`,
  `SELECT format('ALTER TABLE %s REPLICA IDENTITY FULL;', oid::regclass) AS sql FROM pg_class
   WHERE relreplident = 'f' AND relkind IN ('r', 'p') AND relnamespace = 'device_gateway'::regnamespace
   ORDER BY relname`,
  `SELECT pg_get_functiondef(oid) || ';' AS sql FROM pg_proc
   WHERE pronamespace = 'device_gateway'::regnamespace ORDER BY proname`,
];

/**
 * Returns the first line of `schema.sql`. It identifies the migrations that the file was made from, so that
 * `pnpm generate` starts a server only when they have changed.
 */
export function schemaHeader(): string {
  const source = createHash("sha256")
    .update(JSON.stringify([migrations, parts]))
    .digest("hex");
  return `-- Generated from src/migrations: do not edit. Schema version ${migrations.length}, source ${source.slice(0, 16)}.`;
}

/** Migrates an empty database and returns its schema as SQL, which `schema.sql` must equal. */
export async function dumpSchema(url: string): Promise<string> {
  await migratePostgres({ url });
  return readSchema(url);
}

/** Returns the schema of a database as SQL. */
export async function readSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const texts = [schemaHeader()];
    for (const part of parts) {
      const { rows } = await client.query<Part>(part);
      texts.push(...rows.map(({ sql }) => sql.trim()));
    }
    return `${texts.join("\n\n")}\n`;
  } finally {
    await client.end();
  }
}
