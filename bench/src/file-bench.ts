import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { generateSecrets } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { calibrate } from "./calibrate.js";
import { dayMs } from "./fleet.js";
import { createLines, type Section } from "./measure.js";
import { buildServers } from "./speed/build-servers.js";
import { createScratch } from "./speed/machine/scratch.js";
import { planHistory } from "./speed/seed/seed-history.js";
import { seedStore } from "./speed/seed/seed-store.js";
import { startServer } from "./speed/server-process.js";
import { startStoreHost } from "./speed/store/start-store-host.js";
import { openPlace, type StorePlace } from "./speed/store/store-place.js";
import { renderSection } from "./table.js";
import { watchTurns } from "./turns/watch-turns.js";

export interface FileBenchOptions {
  /** Records in the file. 15 million take some 5 GB. */
  readonly records: number;
  readonly repeats: number;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
  readonly progress?: (text: string) => void;
}

/** Days of records that retention leaves, of a month. */
const keptDays = 3;
/** SQLite's file keeps an eighth of its pages free for new records. */
const keptFree = 1 / 8;

type FilePlace = Extract<StorePlace, { readonly kind: "sqlite" }>;

/** Makes the next start read the file from the disk. Returns false if only root may do so. */
function dropPageCache(): boolean {
  try {
    writeFileSync("/proc/sys/vm/drop_caches", "1");
    return true;
  } catch {
    return false;
  }
}

const secrets = generateSecrets();

/** Starts the bundled server and returns how long it took until it listened with an open store. */
async function measureStart(program: string, place: FilePlace) {
  const wasDropped = dropPageCache();
  const begin = performance.now();
  const options = { place, folder: dirname(place.file), secrets };
  const server = await startServer(program, { ...options, settings: { ACCOUNTS: false } });
  const seconds = (performance.now() - begin) / 1_000;
  const { cpuUs } = await server.usage();
  await server.ask("close").catch(() => {});
  await server.end();
  return { seconds, cpuMs: cpuUs / 1_000, wasDropped };
}

interface FileState {
  readonly bytes: number;
  readonly freeShare: number;
}

/** Returns the share of free pages, as the store sees it. It reads one page. */
function readFreeShare(database: Sqlite.Database): number {
  const [free, pages] = ["freelist_count", "page_count"].map((name) =>
    Number(database.pragma(name, { simple: true })),
  ) as [number, number];
  return free / pages;
}

/** Returns the state of a file that nobody has open. */
function readFileState(file: string): FileState {
  const database = new Sqlite(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  const freeShare = readFreeShare(database);
  database.close();
  return { bytes: statSync(file).size, freeShare };
}

/** Lets most records expire, and waits until their space is given back. */
async function measureRetention(place: FilePlace, receivedBefore: number) {
  const before = readFileState(place.file);
  const store = await openPlace(place);
  const watcher = new Sqlite(place.file);
  const begin = performance.now();
  const turns = await watchTurns(async () => {
    while ((await store.telemetry.prune({ receivedBefore, limit: 500 })) > 0);
    while (readFreeShare(watcher) > keptFree) await setTimeout(1_000);
  });
  const seconds = (performance.now() - begin) / 1_000;
  watcher.close();
  await store.close();
  return { before, after: readFileState(place.file), seconds, turns };
}

const gigabytes = ({ bytes }: FileState) => (bytes / 1e9).toFixed(2);

/** Measures the start of the bundled server with a large SQLite file, and what the file gives back after retention. */
export async function runFileBench(options: FileBenchOptions): Promise<Section> {
  const { records, repeats, markdown = false, print, progress = () => {} } = options;
  const scratch = createScratch("disk");
  const servers = await buildServers();
  const host = await startStoreHost("sqlite", scratch.folder, {});
  const lines = createLines();
  try {
    for (const name of ["large", "empty"]) mkdirSync(join(scratch.folder, name));
    const { history, sets } = planHistory(records);
    const large = await seedStore(host, join("large", "gateway"), sets, progress);
    const empty = await host.newPlace(join("empty", "gateway"));
    if (large.kind !== "sqlite" || empty.kind !== "sqlite") throw new Error("Needs SQLite files.");
    let wasDropped = false;
    for (let repeat = 0; repeat < repeats; repeat++) {
      progress(`start: round ${repeat + 1} of ${repeats}`);
      for (const [subject, place] of Object.entries({ "empty file": empty, "large file": large })) {
        const start = await measureStart(servers.program("bundled"), place);
        lines.add("start", "s", subject, start.seconds, true);
        lines.add("CPU of the start", "ms", subject, start.cpuMs, true);
        lines.add("calibration", "ms", subject, calibrate(), true);
        wasDropped = start.wasDropped;
      }
    }
    progress("retention");
    const { before, after, seconds, turns } = await measureRetention(
      large,
      history.end - keptDays * dayMs,
    );
    const section: Section = {
      title: `A SQLite file of ${gigabytes(before)} GB with ${records.toLocaleString("en")} records`,
      lines: lines.all(),
      notes: [
        wasDropped
          ? "The page cache was dropped before each start."
          : "The page cache could not be dropped: the starts did not read the disk.",
        `Retention left ${keptDays} days and took ${seconds.toFixed(0)} s; the file then had ${gigabytes(after)} GB, ${(100 * after.freeShare).toFixed(0)} % of it free. The longest turn took ${turns.longest.toFixed(1)} ms of CPU (goal: 20): ${turns.cause}.`,
      ],
    };
    print?.(`${renderSection(section, markdown)}\n`);
    return section;
  } finally {
    await host.close();
    servers.remove();
    scratch.remove();
  }
}
