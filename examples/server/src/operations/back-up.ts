import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import type { Settings } from "../settings/settings.js";
import { typedFolder } from "../typed-folder.js";

const usage = "Usage: node examples/server/dist/main.js back-up <new folder>";
/** Exit codes, as for settings: 2 when what was asked makes no sense. */
const [done, failed, misused] = [0, 1, 2];

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * Copies a database as it is at one moment, whoever writes to it meanwhile: in one read transaction, which
 * holds nobody up. SQLite's page-wise copy would begin anew at each commit of another process.
 */
async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    database.prepare("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
  const copy = new Sqlite(to, { readonly: true });
  const verdict = copy.pragma("quick_check", { simple: true });
  copy.close();
  if (verdict !== "ok") throw new Error(`The copy of ${from} is damaged: ${String(verdict)}.`);
  await sync(to);
}

async function copyImages(from: string, to: string): Promise<number> {
  await mkdir(to, { mode: 0o700 });
  // What is being uploaded has another name until it is whole.
  const images = existsSync(from) ? await readdir(from) : [];
  const whole = images.filter((name) => !name.startsWith("."));
  for (const name of whole) {
    await copyFile(join(from, name), join(to, name));
    await sync(join(to, name));
  }
  await sync(to);
  return whole.length;
}

/**
 * Copies the databases and images of a data folder into a new folder, beside a running server or without
 * one; says what is left to do, and gives the exit code. The secrets are not copied.
 */
export async function backUp(
  { DATA_DIR, DATABASE_URL, FIRMWARE_DIR = join(DATA_DIR, "firmware") }: Settings,
  [name, ...others]: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  if (name === undefined || others.length > 0) {
    write(usage);
    return misused;
  }
  const folder = resolve(typedFolder(process.env, process.cwd()), name);
  if (existsSync(folder)) {
    write(`${folder} is there already. Name a new folder.`);
    return misused;
  }
  if (DATABASE_URL !== undefined) {
    write(
      "The data is in Postgres: back it up with pg_dump or pg_basebackup, as the runbook says.",
    );
    return failed;
  }
  if (!existsSync(join(DATA_DIR, "gateway.db"))) {
    write(`There is no gateway.db in ${DATA_DIR}: name its folder with DATA_DIR.`);
    return failed;
  }
  await mkdir(folder, { mode: 0o700 });
  for (const name of ["gateway.db", "accounts.db"]) {
    const database = join(DATA_DIR, name);
    if (existsSync(database)) await copyDatabase(database, join(folder, name));
  }
  // After the database, so that each image of which it knows is among them.
  const images = await copyImages(FIRMWARE_DIR, join(folder, "firmware"));
  await sync(folder);
  write(`Backed up into ${folder}: the databases and ${images} firmware images.`);
  write(`Not secrets.json: keep a copy of ${join(DATA_DIR, "secrets.json")} elsewhere.`);
  return done;
}
