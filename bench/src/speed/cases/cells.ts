import { StoreUnavailableError } from "@device-gateway/core/store";
import { askOn } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { createLines, type Line, spread } from "../../measure.js";
import { type Contender, startGateway } from "../contender.js";
import { createLoadDriver } from "../drive-load.js";
import { measureLoads } from "../measure-loads.js";
import { registerTemplate } from "../seed/seed-fleet.js";
import type { SpeedCase, SpeedOptions } from "../speed-case.js";
import { startPostgresHost } from "../store/postgres-host.js";
import type { StoreHost } from "../store/store-host.js";
import { databasesOf, openPlace, type StorePlace } from "../store/store-place.js";
import { missingLoadNotes, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const cellCount = 8;
const databaseCounts = [1, 2, 4];
const withoutCells = "no cells";
/** Share of the highest rate without cells. A higher load would measure waiting, not work. */
const offeredShare = 0.4;
const goal = 1.15;
/** The interval of the bundled server's maintenance. */
const maintenanceMs = 600_000;
const cpu = "CPU of all threads";
const cpuWithMaintenance = "CPU with the share of maintenance";
const cpuBeyondIdle = "CPU beyond that without load";
/** Not measured by the generator at a fixed rate. */
const unmeasured = ["p50", "p99", "generator busy"];
const registeredAtOnce = 10;
/** How many registrations may time out: the disk of a busy machine stalls. */
const maxTimeOuts = 100;
/** The store refuses calls for a moment after several time-outs. */
const retryMs = 1_000;

const nameOf = (databases: number) =>
  `${cellCount} cells, ${databases} ${databases === 1 ? "database" : "databases"}`;

/** Creates an empty place whose cells are distributed evenly over some databases. The first one is the home's. */
async function placeOnDatabases(host: StoreHost, databases: number): Promise<StorePlace> {
  const places: StorePlace[] = [];
  for (let n = 0; n < databases; n++) places.push(await host.newPlace(`cells-${n}`));
  const urls = places.flatMap(databasesOf);
  const [url = ""] = urls;
  const databaseOf = (cell: number) => urls[Math.floor((cell * databases) / cellCount)] ?? url;
  const cells = Array.from({ length: cellCount }, (_, cell) => databaseOf(cell));
  return { kind: "postgres", url, cells };
}

const alter = (url: string, change: string) =>
  askOn(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} ${change}`);

/** Registers devices one by one through the port, which selects their cells. */
async function registerAll(place: StorePlace, deviceIds: readonly string[]): Promise<void> {
  const databases = databasesOf(place);
  for (const url of databases) await alter(url, "SET synchronous_commit = off");
  const store = await openPlace(place);
  const ids = deviceIds.values();
  let timeOuts = 0;
  const register = async (deviceId: string): Promise<void> => {
    try {
      await registerTemplate(store, deviceId);
    } catch (error) {
      timeOuts += 1;
      if (!(error instanceof StoreUnavailableError) || timeOuts > maxTimeOuts) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      // Storing a device twice changes nothing.
      await register(deviceId);
    }
  };
  const registerNext = async () => {
    for (const deviceId of ids) await register(deviceId);
  };
  await Promise.all(Array.from({ length: registeredAtOnce }, registerNext));
  await store.close();
  for (const url of databases) {
    await alter(url, "RESET synchronous_commit");
    await askOn(url, "VACUUM ANALYZE");
    await askOn(url, "CHECKPOINT");
  }
}

/** Returns the CPU that a server and its databases take during some work, in µs, and how long the work takes, in ms. */
async function measureCpu({ server, databaseCpuUs }: Contender, work: () => Promise<unknown>) {
  const before = { server: (await server.usage()).cpuUs, database: databaseCpuUs() };
  const start = performance.now();
  await work();
  const database = databaseCpuUs() - before.database;
  const all = (await server.usage()).cpuUs - before.server + database;
  return { all, database, took: performance.now() - start };
}

/** Returns lines for the CPU without load, of a round of maintenance, and of a record with its share of maintenance. */
async function measureIdles(
  contenders: readonly Contender[],
  measured: readonly Line[],
  { repeats, seconds }: Pick<SpeedOptions, "repeats" | "seconds">,
): Promise<readonly Line[]> {
  const { add, all } = createLines();
  const underLoad = (what: string, name: string, repeat: number) =>
    measured.find((line) => line.what === what)?.values.get(name)?.[repeat] ?? Number.NaN;
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const contender of contenders) {
      const { name } = contender;
      const wait = () => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      const idle = await measureCpu(contender, wait);
      add("CPU without load", "ms/s", name, idle.all / idle.took, true);
      add("of it the database, without load", "ms/s", name, idle.database / idle.took, true);
      const perSecond = underLoad("requests", name, repeat);
      const idleUs = (idle.all * 1e3) / idle.took / perSecond;
      add(cpuBeyondIdle, "µs/request", name, underLoad(cpu, name, repeat) - idleUs, true);
      const round = await measureCpu(contender, () => contender.server.ask("lag"));
      add("CPU of a round of maintenance", "ms", name, round.all / 1e3, true);
      const share = round.all / (maintenanceMs / 1e3) / perSecond;
      add(cpuWithMaintenance, "µs/request", name, underLoad(cpu, name, repeat) + share, true);
    }
  }
  return all();
}

/**
 * Measures the CPU of the bundled server and Postgres at the same load with cells and without. Each contender has a
 * Postgres server of its own, because CPU is measured for a whole server.
 */
export const cells: SpeedCase = {
  title: "P16: 8 cells on 1, 2 and 4 databases, at a fixed load",
  async run(setup, options) {
    const { connections = 64, progress } = options;
    const { deviceIds } = setup.fleet;
    const files = recordFiles(setup);
    const hosts: StoreHost[] = [];
    const contenders: Contender[] = [];
    const start = async (name: string, toPlace: (host: StoreHost) => Promise<StorePlace>) => {
      progress(`registering ${deviceIds.length} devices: ${name}`);
      const host = await startPostgresHost({});
      hosts.push(host);
      const place = await toPlace(host);
      await registerAll(place, deviceIds);
      const startOptions = {
        name,
        mount: "bundled",
        files,
        place,
        maintainsEverySecond: false,
      } as const;
      contenders.push(await startGateway({ ...setup, host }, startOptions));
    };
    try {
      await start(withoutCells, (host) => host.newPlace("no-cells"));
      for (const count of databaseCounts) {
        await start(nameOf(count), (host) => placeOnDatabases(host, count));
      }
      // All servers meet every device.
      await measureLoads(contenders, { ...options, connections, repeats: 0 });
      const plan = { ...options, connections, devices: 0 };
      const findRate = async () => {
        const [rates] = await measureLoads(contenders.slice(0, 1), { ...plan, repeats: 2 });
        return spread(rates?.values.get(withoutCells) ?? []).median * offeredShare;
      };
      const offered = options.perSecond ?? (await findRate());
      const generate = createLoadDriver(offered);
      const measured = await measureLoads(contenders, { ...plan, generate });
      progress("without load");
      const idle = await measureIdles(contenders, measured, options);
      const counts: string[] = [];
      for (const contender of contenders) counts.push(...(await contender.finish()));

      const lines = [...measured.filter(({ what }) => !unmeasured.includes(what)), ...idle];
      const notes = [
        `${Math.round(offered)} records a second, one in each request${options.perSecond === undefined ? `, ${offeredShare * 100} % of the highest rate without cells` : ""}. Polls count, and the share of a round of maintenance every ${maintenanceMs / 60_000} minutes, without roll-ups.`,
        ...missingLoadNotes(lines, "requests", offered),
        ...databaseCounts.map((count) =>
          timesAsMuch(lines, cpuWithMaintenance, nameOf(count), withoutCells, goal),
        ),
        ...counts,
      ];
      return [{ title: cells.title, lines, notes }];
    } finally {
      for (const host of hosts) await host.close();
    }
  },
};
