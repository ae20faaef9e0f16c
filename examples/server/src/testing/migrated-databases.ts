import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { readMigratedFile } from "../../../../packages/store-sqlite/src/testing/migrated-file.js";
import { createAuth } from "../accounts/create-auth.js";
import { openSqliteAccounts } from "../accounts/database/sqlite-accounts.js";

let accounts: Promise<Buffer> | undefined;

async function migrateAccounts(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-"));
  const database = await openSqliteAccounts(folder);
  await createAuth({
    ...{ database, pepper: "p".repeat(32), url: "http://127.0.0.1:3000", urlIsPublic: true },
    ...{ sendMail: async () => {}, demo: undefined, logger: silentLogger },
    releaseDevices: async () => {},
  });
  await database.close();
  const bytes = await readFile(join(folder, "accounts.db"));
  await rm(folder, { recursive: true });
  return bytes;
}

/**
 * Writes empty databases with the current schemas into a new data folder. A server that creates its own runs all
 * migrations. Here they run once per process.
 */
export async function writeMigratedDatabases(folder: string): Promise<void> {
  accounts ??= migrateAccounts();
  await writeFile(join(folder, "gateway.db"), await readMigratedFile(), { mode: 0o600 });
  await writeFile(join(folder, "accounts.db"), await accounts, { mode: 0o600 });
}
