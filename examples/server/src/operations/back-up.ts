import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { findFirmwareKeys } from "../firmware-keys.js";
import type { Settings } from "../settings/settings.js";
import { typedFolder } from "../typed-folder.js";
import { counted } from "./counted.js";
import { done, failed, misused } from "./exit-codes.js";

const usage = "Usage: node examples/server/dist/main.js back-up <new folder>";

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

/** Copies everything into a folder that is there and empty, and makes it durable. */
async function copyAll(settings: Settings, folder: string) {
  const { DATA_DIR, FIRMWARE_DIR = join(DATA_DIR, "firmware") } = settings;
  const keys = await findKeys(settings);
  for (const name of ["gateway.db", "accounts.db"]) {
    const database = join(DATA_DIR, name);
    if (existsSync(database)) await copyDatabase(database, join(folder, name));
  }
  // After the database, so that each image of which it knows is among them.
  const images = await findImages(FIRMWARE_DIR);
  await copyFiles(images, join(folder, "firmware"));
  await copyFiles(keys, join(folder, "firmware-keys"));
  await sync(folder);
  return { images: images.length, keys: keys.length };
}

/**
 * Copies the databases, images and public keys of a server into a new folder, beside it or without it;
 * says what is left to do, and gives the exit code. The secrets are not copied. The folder appears under its name when
 * the copy is complete and on the disk, also after a power cut; until then it is called `<folder>.partial`.
 */
export async function backUp(
  settings: Settings,
  [name, ...others]: readonly string[],
  write: (line: string) => void,
): Promise<number> {
  const { DATA_DIR, DATABASE_URL } = settings;
  if (name === undefined || name.startsWith("-") || others.length > 0) {
    write(usage);
    return misused;
  }
  const folder = resolve(typedFolder(process.env, process.cwd()), name);
  const partial = `${folder}.partial`;
  if (existsSync(folder)) {
    write(`${folder} is there already. Name a new folder.`);
    return misused;
  }
  if (existsSync(partial)) {
    write(
      `${partial} is there already: another backup is under way, or did not finish. Delete it, or name another folder.`,
    );
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
  try {
    await mkdir(partial, { mode: 0o700 });
  } catch (error) {
    write(
      `${partial} can't be made: ${(error as Error).message}. Name a folder in one that is there.`,
    );
    return failed;
  }
  try {
    const { images, keys } = await copyAll(settings, partial);
    await rename(partial, folder);
    await sync(dirname(folder));
    write(
      `Backed up into ${folder}: the databases, ${counted(images, "firmware image")} and ${counted(keys, "public key")}.`,
    );
    write(`Not secrets.json: keep a copy of ${join(DATA_DIR, "secrets.json")} elsewhere.`);
    return done;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const reason = (error as Error).message.replace(/\.$/, "");
    write(
      `The backup failed, and nothing is left of it: ${reason}. Repair that and back up again.`,
    );
    return failed;
  }
}
