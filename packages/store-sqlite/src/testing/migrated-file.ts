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

/** Returns the bytes of an empty database with the current schema. The migrations run once per process, because they are slow. */
export function readMigratedFile(): Promise<Buffer> {
  migrated ??= migrateOne();
  return migrated;
}

/** Creates an empty database with the current schema in a temporary folder. */
export async function createMigratedFile(): Promise<ReturnType<typeof createTemporaryFile>> {
  const temporary = createTemporaryFile();
  writeFileSync(temporary.file, await readMigratedFile());
  return temporary;
}
