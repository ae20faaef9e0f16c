import { execFileSync } from "node:child_process";
import { startPostgresServer } from "../../../packages/store-postgres/src/testing/postgres-server.js";
import {
  askOn,
  createTemporaryDatabase,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { canPin, serverCore } from "./cores.js";
import { createCpuMeter, isRunning } from "./process-cpu.js";
import type { DatabaseServer, StatementTime, StoreHost } from "./store-host.js";
import type { StorePlace } from "./store-place.js";

/** As it comes out of the box, but for the memory that a server of some size gives it. Every commit is on disk. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "512MB" };

/** Costs each statement a little. */
const accounting = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
};

const urlOf = (place: StorePlace) => (place.kind === "postgres" ? place.url : "");

const statementTimes = `SELECT query AS text, sum(calls)::float8 AS calls,
    sum(total_plan_time * 1e3) AS "planningUs", sum(total_exec_time * 1e3) AS "runningUs"
  FROM pg_stat_statements GROUP BY query`;

/** A database for each place, on a superuser's server or, without one, on one of this run. */
export async function startPostgresHost({
  databaseUrl,
  isAccounting = false,
}: DatabaseServer): Promise<StoreHost> {
  const isAccounted = isAccounting && !databaseUrl;
  const own = databaseUrl
    ? undefined
    : await startPostgresServer({ ...settings, ...(isAccounted && accounting) });
  const serverUrl = databaseUrl ?? own?.url ?? "";
  if (isAccounted) await askOn(serverUrl, "CREATE EXTENSION pg_stat_statements");
  const [asked] = await askOn<{ pid: number }>(
    serverUrl,
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid",
  );
  const postmaster = asked && isRunning(asked.pid, "postgres") ? asked.pid : undefined;
  // What it starts from now on stays on the core, too.
  if (own && canPin && postmaster !== undefined) {
    for (const { pid } of await askOn<{ pid: number }>(
      serverUrl,
      "SELECT pid FROM pg_stat_activity",
    )) {
      pin(pid);
    }
    pin(postmaster);
  }
  const remove: (() => Promise<void>)[] = [];
  const create = async (template?: string): Promise<StorePlace> => {
    const database = await createTemporaryDatabase(serverUrl, template);
    remove.push(database.remove);
    return { kind: "postgres", url: database.url };
  };
  return {
    kind: "postgres",
    newPlace: () => create(),
    copyPlace: (from) => create(new URL(urlOf(from)).pathname.slice(1)),
    cpuUs: postmaster === undefined ? () => Number.NaN : createCpuMeter(postmaster),
    statementTimes: async () =>
      isAccounted ? askOn<StatementTime>(serverUrl, statementTimes) : [],
    async bytesAt(place) {
      const size = "SELECT pg_database_size(current_database())::float8 AS bytes";
      const [row] = await askOn<{ bytes: number }>(urlOf(place), size);
      return row?.bytes ?? Number.NaN;
    },
    async close() {
      if (own) return own.stop();
      for (const drop of remove) await drop();
    },
  };
}

/** A process that has ended meanwhile is none to pin. */
function pin(pid: number): void {
  try {
    execFileSync("taskset", ["-apc", String(serverCore), String(pid)], { stdio: "ignore" });
  } catch {}
}
