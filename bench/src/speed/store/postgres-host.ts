import { execFileSync } from "node:child_process";
import { startPostgresServer } from "../../../../packages/store-postgres/src/testing/postgres-server.js";
import {
  askOn,
  createTemporaryDatabase,
} from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { canPin, serverCore } from "../machine/cores.js";
import { createCpuMeter, isRunning } from "../machine/process-cpu.js";
import type { DatabaseServer, StatementTime, StoreHost } from "./store-host.js";
import { databasesOf, type StorePlace } from "./store-place.js";

/** Defaults, except for the memory that a larger server would have. Every commit is synced to disk. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "512MB" };

/** Makes each statement slightly slower. */
const statementTracking = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
};

const urlOf = (place: StorePlace) => (place.kind === "postgres" ? place.url : "");

const statementTimes = `SELECT query AS text, sum(calls)::float8 AS calls,
    sum(total_plan_time * 1e3) AS "planningUs", sum(total_exec_time * 1e3) AS "runningUs"
  FROM pg_stat_statements GROUP BY query`;

/** Starts a host with one database per place, on a superuser's server or else on a server of this run. */
export async function startPostgresHost({
  databaseUrl,
  tracksStatements = false,
}: DatabaseServer): Promise<StoreHost> {
  const isTracking = tracksStatements && !databaseUrl;
  const own = databaseUrl
    ? undefined
    : await startPostgresServer({ ...settings, ...(isTracking && statementTracking) });
  const serverUrl = databaseUrl ?? own?.url ?? "";
  if (isTracking) await askOn(serverUrl, "CREATE EXTENSION pg_stat_statements");
  const [asked] = await askOn<{ pid: number }>(
    serverUrl,
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid",
  );
  const postmaster = asked && isRunning(asked.pid, "postgres") ? asked.pid : undefined;
  // Processes that the postmaster starts from now on inherit its core.
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
    statementTimes: async () => (isTracking ? askOn<StatementTime>(serverUrl, statementTimes) : []),
    async bytesAt(place) {
      const size = "SELECT pg_database_size(current_database())::float8 AS bytes";
      let bytes = 0;
      for (const url of databasesOf(place)) {
        const [row] = await askOn<{ bytes: number }>(url, size);
        bytes += row?.bytes ?? Number.NaN;
      }
      return bytes;
    },
    async close() {
      if (own) return own.stop();
      for (const drop of remove) await drop();
    },
  };
}

/** Pins a process to the server's core. Ignores a process that has ended. */
function pin(pid: number): void {
  try {
    execFileSync("taskset", ["-apc", String(serverCore), String(pid)], { stdio: "ignore" });
  } catch {}
}
