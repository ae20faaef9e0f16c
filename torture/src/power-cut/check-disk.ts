import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import Database from "better-sqlite3";

/** What was acknowledged, by kind. */
export type Acknowledged = ReadonlyMap<string, readonly string[]>;

/** Reads the file that the writer tells in; a line that was cut off was never told. */
export function readAcknowledged(text: string): Acknowledged {
  const told = new Map<string, string[]>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [kind = "", what = ""] = line.split(" ");
    told.set(kind, [...(told.get(kind) ?? []), what]);
  }
  return told;
}

function findWholeImages(folder: string, note: (what: string) => void): Set<string> {
  const whole = new Set<string>();
  if (!existsSync(folder)) return whole;
  for (const name of readdirSync(folder)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    if (sha256 === name) whole.add(name);
    else note(`the image ${name.slice(0, 8)} is not whole`);
  }
  return whole;
}

async function readDatabase(file: string, note: (what: string) => void) {
  const devices = new Set<string>();
  const readings: string[] = [];
  const store = await openSqliteStore({ file });
  for (const deviceId of ["gw-0", "gw-1", "gw-2"]) {
    if ((await store.devices.find(deviceId)) !== null) devices.add(deviceId);
    const records = await store.telemetry.read({ deviceId, after: 0, limit: 1_000_000 });
    for (const { value } of records) readings.push(String(value["reading"]));
  }
  await store.close();
  const database = new Database(file, { readonly: true });
  const verdict = database.pragma("integrity_check", { simple: true });
  database.close();
  if (verdict !== "ok") note(`the database is corrupt: ${String(verdict)}`);
  return { devices, readings };
}

/** Starts on what a power cut has left; tells what is missing of what was acknowledged, or spoilt. */
export async function checkDisk(folder: string, told: Acknowledged): Promise<string[]> {
  const found: string[] = [];
  const note = (what: string) => void found.push(what);
  const lost = (kind: string, there: ReadonlySet<string>) => {
    const missing = (told.get(kind) ?? []).filter((what) => !there.has(what));
    if (missing.length > 0) note(`${missing.length} lost: ${kind} ${missing[0]?.slice(0, 8)}`);
  };
  const secretsFile = join(folder, "secrets.json");
  const pepper = existsSync(secretsFile)
    ? String((JSON.parse(readFileSync(secretsFile, "utf8")) as { pepper: unknown }).pepper)
    : "";
  lost("secrets", new Set([pepper]));
  lost("image", findWholeImages(join(folder, "firmware"), note));
  if (!existsSync(folder)) {
    lost("device", new Set());
    return found;
  }
  try {
    const { devices, readings } = await readDatabase(join(folder, "gateway.db"), note);
    const once = new Set(readings);
    lost("device", devices);
    lost("reading", once);
    if (once.size < readings.length)
      note(`${readings.length - once.size} readings are there twice`);
  } catch (error) {
    note(`the database does not open: ${String(error)}`);
  }
  return found;
}
