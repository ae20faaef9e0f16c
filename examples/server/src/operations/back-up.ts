import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { findFirmwareKeys } from "../firmware-keys.js";
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

/** Copies files into a new folder, each under its name there. */
async function copyFiles(
  files: readonly { readonly file: string; readonly name: string }[],
  to: string,
): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const { file, name } of files) {
    await copyFile(file, join(to, name));
    await sync(join(to, name));
  }
  await sync(to);
}

async function findImages(folder: string) {
  // What is being uploaded has another name until it is whole.
  const names = existsSync(folder) ? await readdir(folder) : [];
  const whole = names.filter((name) => !name.startsWith("."));
  return whole.map((name) => ({ file: join(folder, name), name }));
}

async function findKeys(settings: Settings) {
  const keys = await findFirmwareKeys(settings);
  return keys.map(({ id, file }) => ({ file, name: `${id}.public.pem` }));
}

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;

/**
 * Copies the databases, images and public keys of a server into a new folder, beside it or without it;
 * says what is left to do, and gives the exit code. The secrets are not copied.
 */
export async function backUp(
  settings: Settings,
  [name, ...others]: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  const { DATA_DIR, DATABASE_URL, FIRMWARE_DIR = join(DATA_DIR, "firmware") } = settings;
  if (name === undefined || name.startsWith("-") || others.length > 0) {
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
  const keys = await findKeys(settings);
  await mkdir(folder, { mode: 0o700 });
  for (const name of ["gateway.db", "accounts.db"]) {
    const database = join(DATA_DIR, name);
    if (existsSync(database)) await copyDatabase(database, join(folder, name));
  }
  // After the database, so that each image of which it knows is among them.
  const images = await findImages(FIRMWARE_DIR);
  await copyFiles(images, join(folder, "firmware"));
  await copyFiles(keys, join(folder, "firmware-keys"));
  await sync(folder);
  write(
    `Backed up into ${folder}: the databases, ${counted(images.length, "firmware image")} and ${counted(keys.length, "public key")}.`,
  );
  write(`Not secrets.json: keep a copy of ${join(DATA_DIR, "secrets.json")} elsewhere.`);
  return done;
}
