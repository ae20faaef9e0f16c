import { createHash } from "node:crypto";
import { Client } from "pg";
import { migratePostgres } from "../migrations/migrate.js";
import { migrations } from "../migrations/migrations.js";
import {
  createTemporaryDatabase,
  listWorkers,
  type TemporaryDatabase,
} from "./temporary-database.js";

const version = createHash("sha256").update(migrations.join()).digest("hex").slice(0, 16);
/** A database with the current schema that nobody connects to, so that it can be copied. */
export const templateName = `gateway_template_${version}`;

const templates = new Map<string, Promise<void>>();

/** Creates the template on a server, if no other process has done so. */
async function createTemplate(serverUrl: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock(hashtext($1))", [templateName]);
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [templateName]);
    if (found.rowCount === 1) return;
    const { url } = await createTemporaryDatabase(serverUrl);
    await migratePostgres({ url });
    await client.query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${templateName}`,
    );
  } finally {
    // Also unlocks.
    await client.end();
  }
}

/** Creates a database with the current schema. It copies a migrated one if it can, because that is faster than migrating. */
export async function createMigratedDatabase(serverUrl: string): Promise<TemporaryDatabase> {
  if ((await listWorkers(serverUrl)).length > 0) {
    const database = await createTemporaryDatabase(serverUrl);
    await migratePostgres({ url: database.url });
    return database;
  }
  const template = templates.get(serverUrl) ?? createTemplate(serverUrl);
  templates.set(serverUrl, template);
  await template;
  return createTemporaryDatabase(serverUrl, templateName);
}
