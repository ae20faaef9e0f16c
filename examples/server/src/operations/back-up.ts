import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findFirmwareKeys } from "../data/firmware-keys.js";
import { Sqlite } from "../data/sqlite.js";
import { reasonOf } from "../reason-of.js";
import type { Settings } from "../settings/settings.js";
import { typedFolder } from "../settings/typed-folder.js";
import { counted } from "./counted.js";
import { describeMissingFile } from "./describe-missing-file.js";
import { done, failed, misused } from "./exit-codes.js";
import { onlyArgument } from "./only-argument.js";

const usage = "Usage: node examples/server/dist/main.js back-up <new folder>";

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * Copies a consistent state of a database while other processes write to it. VACUUM INTO uses one read transaction, which
 * does not block writers. SQLite's backup API would restart at each commit of another process.
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

/** Copies files into a new folder under the given names, and syncs them to the disk. */
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

/** Finds the images, which are named by their SHA-256. */
async function findImages(folder: string) {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const images = names.filter((name) => /^[0-9a-f]{64}$/.test(name));
  return images.map((name) => ({ file: join(folder, name), name }));
}

/** Returns the images to which the copied database refers and that were not copied. */
function findMissing(database: string, images: readonly { readonly name: string }[]): string[] {
  const copy = new Sqlite(database, { readonly: true });
  const used = copy
    .prepare<[], string>(
      "SELECT DISTINCT sha256 FROM releases WHERE has_image = 1 AND status <> 'withdrawn'",
    )
    .pluck()
    .all();
  copy.close();
  const copied = new Set(images.map(({ name }) => name));
  return used.filter((sha256) => !copied.has(sha256));
}

async function findKeys(settings: Settings) {
  const keys = await findFirmwareKeys(settings);
  return keys.map(({ id, file }) => ({ file, name: `${id}.public.pem` }));
}

/** Copies everything into an existing empty folder and syncs it to the disk. */
async function copyAll(settings: Settings, folder: string) {
  const { DATA_DIR, FIRMWARE_DIR = join(DATA_DIR, "firmware") } = settings;
  const keys = await findKeys(settings);
  for (const name of ["gateway.db", "accounts.db"]) {
    const database = join(DATA_DIR, name);
    if (existsSync(database)) await copyDatabase(database, join(folder, name));
  }
  // Images are copied after the database, so that they include every image that it refers to.
  const images = await findImages(FIRMWARE_DIR);
  await copyFiles(images, join(folder, "firmware"));
  await copyFiles(keys, join(folder, "firmware-keys"));
  await sync(folder);
  const missing = findMissing(join(folder, "gateway.db"), images);
  return { images: images.length, keys: keys.length, missing: missing.length };
}

/**
 * Copies the databases, images and public keys of a server into a new folder. The server may be running. The secrets are
 * not copied. The folder is called `<folder>.partial` until the copy is complete and on the disk, also after a power cut.
 * Prints what is left to do and returns the exit code.
 */
export async function backUp(
  settings: Settings,
  args: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  const { DATA_DIR, DATABASE_URL } = settings;
  const name = onlyArgument(args);
  if (name === undefined) {
    write(usage);
    return misused;
  }
  const folder = resolve(typedFolder(process.env, process.cwd()), name);
  const partial = `${folder}.partial`;
  if (existsSync(folder)) {
    write(`${folder} already exists. Name a new folder.`);
    return misused;
  }
  if (existsSync(partial)) {
    write(
      `${partial} already exists: another backup is running or did not finish. Delete it, or name another folder.`,
    );
    return misused;
  }
  if (DATABASE_URL !== undefined) {
    write(
      "The data is in Postgres. Back it up with pg_dump or pg_basebackup, as docs/runbook.md describes.",
    );
    return failed;
  }
  const missingFile = describeMissingFile(settings);
  if (missingFile !== undefined) {
    write(missingFile);
    return failed;
  }
  try {
    await mkdir(partial, { mode: 0o700 });
  } catch (error) {
    write(
      `${partial} cannot be created: ${(error as Error).message}. Name a folder inside an existing one.`,
    );
    return failed;
  }
  try {
    const { images, keys, missing } = await copyAll(settings, partial);
    await rename(partial, folder);
    await sync(dirname(folder));
    write(
      `Backed up into ${folder}: the databases, ${counted(images, "firmware image")} and ${counted(keys, "public key")}.`,
    );
    write(
      `Not backed up: secrets.json. Keep a copy of ${join(DATA_DIR, "secrets.json")} elsewhere.`,
    );
    if (missing === 0) return done;
    write(
      `The backup lacks ${counted(missing, "firmware image")} of the database. Devices cannot download them after a restore. Run the command with the server's FIRMWARE_DIR, and check that its disk is mounted.`,
    );
    return failed;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    write(`The backup failed and was removed: ${reasonOf(error)}. Fix that and back up again.`);
    return failed;
  }
}
