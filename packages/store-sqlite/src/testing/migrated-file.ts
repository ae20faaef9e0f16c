import { readFileSync, writeFileSync } from "node:fs";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "./temporary-file.js";

let migrated: Promise<Buffer> | undefined;

async function migrateOne(): Promise<Buffer> {
  const { file, remove } = createTemporaryFile();
  await (await openSqliteStore({ file })).close();
  const bytes = readFileSync(file);
  remove();
  return bytes;
}

/** Returns an empty database with the current schema. It is migrated once per process, because that takes long. */
export function readMigratedFile(): Promise<Buffer> {
  migrated ??= migrateOne();
  return migrated;
}

/** Creates a temporary folder with such a database. */
export async function createMigratedFile(): Promise<ReturnType<typeof createTemporaryFile>> {
  const temporary = createTemporaryFile();
  writeFileSync(temporary.file, await readMigratedFile());
  return temporary;
}
