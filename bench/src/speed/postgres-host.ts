import { execFileSync } from "node:child_process";
import { startPostgresServer } from "../../../packages/store-postgres/src/testing/postgres-server.js";
import {
  askOn,
  createTemporaryDatabase,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { canPin, serverCore } from "./cores.js";
import { createCpuMeter, isRunning } from "./process-cpu.js";
import type { StoreHost } from "./store-host.js";
import type { StorePlace } from "./store-place.js";

/** As it comes out of the box, but for the memory that a server of some size gives it. Every commit is on disk. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "512MB" };

const urlOf = (place: StorePlace) => (place.kind === "postgres" ? place.url : "");

/** A database for each place, on a superuser's server or, without one, on one of this run. */
export async function startPostgresHost(given?: string): Promise<StoreHost> {
  const own = given ? undefined : await startPostgresServer(settings);
  const serverUrl = given ?? own?.url ?? "";
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
