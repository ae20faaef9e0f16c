import { readFileSync } from "node:fs";
import type { AppendInput, GatewayStore } from "@device-gateway/core/store";
import { betterSqlite3, openSqliteStore, type SqliteDriver } from "@device-gateway/store-sqlite";
import Sqlite from "better-sqlite3";
import { dayMs, hourMs, minuteMs, recordOf } from "./fleet.js";
import { createLines, type Section } from "./measure.js";
import { createScratch } from "./speed/machine/scratch.js";
import { fleetIds, registerTemplate } from "./speed/seed/seed-fleet.js";
import { planHistory, type SeededHistory } from "./speed/seed/seed-history.js";
import { seedStore } from "./speed/seed/seed-store.js";
import { startStoreHost } from "./speed/store/start-store-host.js";
import type { StorePlace } from "./speed/store/store-place.js";
import { renderSection } from "./table.js";

export interface PagesBenchOptions {
  /** Devices that send. */
  readonly devices: number;
  /** Records that are stored before. */
  readonly records: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

const pageSizes = [4_096, 8_192, 16_384];
/** SQLite moves pages from the log into the file after so many bytes, whatever the size of a page. */
const logBytes = 4_000 * 4_096;
const [commits, perCommit, reads] = [300, 30, 20];

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the bytes that this process has written so far (Linux). Nearly all of them are SQLite's. */
const writtenBytes = () =>
  Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? Number.NaN);

/** Makes a file without tables whose pages have this size. The store takes it for a new one. */
function createFile(place: StorePlace, bytes: number): StorePlace {
  if (place.kind !== "sqlite") throw new Error("Needs a SQLite file.");
  const database = new Sqlite(place.file);
  database.exec(
    `PRAGMA page_size = ${bytes}; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t (a); DROP TABLE t`,
  );
  database.close();
  return place;
}

/** Returns a driver whose log has the same size for each size of pages. */
const driverFor =
  (pageSize: number): SqliteDriver =>
  async (file) => {
    const database = await betterSqlite3(file);
    const runPragma = database.pragma.bind(database);
    const checkpoint = `wal_autocheckpoint = ${logBytes / pageSize}`;
    database.pragma = (source, options) =>
      runPragma(source.startsWith("wal_autocheckpoint") ? checkpoint : source, options);
    return database;
  };

function occupiedBytes(file: string): number {
  const database = new Sqlite(file, { readonly: true });
  const read = (name: string) => Number(database.pragma(name, { simple: true }));
  const bytes = (read("page_count") - read("freelist_count")) * read("page_size");
  database.close();
  return bytes;
}

/** Makes one record for each device in turn, in an order that matches no index. */
function makeCommits(deviceIds: readonly string[], first: number, at: number): AppendInput[][] {
  const input = (n: number): AppendInput => {
    const device = (n * 7_919) % deviceIds.length;
    const records = [{ at, seq: null, isTimed: false, value: recordOf(device, at + n * minuteMs) }];
    return { deviceId: deviceIds[device] as string, receivedAt: at, records, once: null };
  };
  return Array.from({ length: commits }, (_, commit) =>
    Array.from({ length: perCommit }, (__, n) => input(first + commit * perCommit + n)),
  );
}

async function append({ telemetry }: GatewayStore, inputs: AppendInput[][], at: number) {
  for (const commit of inputs) await Promise.all(commit.map((input) => telemetry.append(input)));
  const before = Math.floor(at / hourMs) * hourMs;
  while ((await telemetry.rollUp({ before, limit: 500 })).more);
}

/** Returns the reads that are measured, by name. */
const readsOf = (
  { telemetry }: GatewayStore,
  { monthDevices, monthDays, end }: SeededHistory,
): Readonly<Record<string, () => Promise<unknown>>> => {
  const [deviceId = ""] = monthDevices;
  const range = (days: number) => ({
    deviceId,
    from: end - days * dayMs,
    to: end,
    receivedFrom: 0,
  });
  const selection = { names: ["voltage", "current"], prefixes: [], topLevel: false };
  const page = { order: "newest_first", after: null, limit: 500 } as const;
  return {
    "chart of a month": () =>
      telemetry.aggregate({ ...range(monthDays), intervalMs: 3 * hourMs, selection }),
    "500 raw records": () => telemetry.samples({ ...range(1), ...page }),
  };
};

/** Compares sizes of SQLite's pages: what the store's appends and reads cost, and how many bytes it writes and occupies. */
export async function runPagesBench(options: PagesBenchOptions): Promise<Section> {
  const { repeats, markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const host = await startStoreHost("sqlite", scratch.folder, {});
  const lines = createLines();
  const deviceIds = fleetIds(options.devices);
  const contenders: { name: string; file: string; seeded: number; store: GatewayStore }[] = [];
  const perRound = commits * perCommit;
  try {
    const { history, sets } = planHistory(options.records);
    for (const size of pageSizes) {
      const newPlace = async (name: string) => createFile(await host.newPlace(name), size);
      const fleet = { make: registerTemplate, deviceIds };
      const place = await seedStore({ ...host, newPlace }, `p${size}`, [fleet, ...sets], progress);
      if (place.kind !== "sqlite") throw new Error("Needs a SQLite file.");
      const { file } = place;
      const [seeded, name] = [occupiedBytes(file), `${size / 1_024} KB`];
      lines.add("bytes on disk, seeded", "B per record", name, seeded / history.records, true);
      const store = await openSqliteStore({ file, driver: driverFor(size) });
      contenders.push({ name, file, seeded, store });
    }
    // The first round warms the caches.
    for (let repeat = 0; repeat <= repeats; repeat++) {
      progress(`round ${repeat} of ${repeats}`);
      const at = Date.now();
      const inputs = makeCommits(deviceIds, repeat * perRound, at);
      const turn = repeat % contenders.length;
      for (const { name, store } of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
        const add = (what: string, unit: string, value: number) => {
          if (repeat > 0) lines.add(what, unit, name, value, true);
        };
        const [cpu, written] = [cpuUs(), writtenBytes()];
        await append(store, inputs, at);
        add("CPU of an append", "µs per record", (cpuUs() - cpu) / perRound);
        add("written", "B per record", (writtenBytes() - written) / perRound);
        for (const [what, read] of Object.entries(readsOf(store, history))) {
          const begin = cpuUs();
          for (let n = 0; n < reads; n++) await read();
          add(`CPU of ${what}`, "µs", (cpuUs() - begin) / reads);
        }
      }
    }
    for (const { name, file, seeded, store } of contenders) {
      await store.close();
      const grown = (occupiedBytes(file) - seeded) / (perRound * (repeats + 1));
      lines.add("bytes on disk, appended", "B per record", name, grown, true);
    }
    const title = `Pages of SQLite: ${perCommit} records per commit, ${history.records.toLocaleString("en")} records before`;
    const section: Section = { title, lines: lines.all(), notes: [] };
    print?.(`${renderSection(section, markdown)}\n`);
    return section;
  } finally {
    await host.close();
    scratch.remove();
  }
}
