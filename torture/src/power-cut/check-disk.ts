import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import Database from "better-sqlite3";

/** Acknowledged items, by kind. */
export type Acknowledged = ReadonlyMap<string, readonly string[]>;

/** Parses the writer's file of acknowledgements. An incomplete last line does not count. */
export function readAcknowledged(text: string): Acknowledged {
  const acknowledged = new Map<string, string[]>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [kind = "", what = ""] = line.split(" ");
    acknowledged.set(kind, [...(acknowledged.get(kind) ?? []), what]);
  }
  return acknowledged;
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
    else note(`the image ${name.slice(0, 8)} is damaged`);
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

/** Opens what survived a power cut. Returns what is lost of the acknowledged items, and what is damaged. */
export async function checkDisk(folder: string, acknowledged: Acknowledged): Promise<string[]> {
  const found: string[] = [];
  const note = (what: string) => void found.push(what);
  const lost = (kind: string, there: ReadonlySet<string>) => {
    const missing = (acknowledged.get(kind) ?? []).filter((what) => !there.has(what));
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
      note(`${readings.length - once.size} readings are stored twice`);
  } catch (error) {
    note(`the database does not open: ${String(error)}`);
  }
  return found;
}
