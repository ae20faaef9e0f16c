import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { startCitusServers } from "../../../packages/store-postgres/src/testing/citus-servers.js";
import {
  type PostgresServer,
  startPostgresServer,
} from "../../../packages/store-postgres/src/testing/postgres-server.js";
import {
  startTcpProxy,
  type TcpProxy,
} from "../../../packages/store-postgres/src/testing/tcp-proxy.js";
import {
  askOn,
  createTemporaryDatabase,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import type { TestServer } from "../../../packages/store-postgres/src/testing/test-server.js";

/** Storage that can become unavailable while a server runs. */
export interface Outage {
  readonly name: string;
  /** Environment variables of the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** The command that starts the server. */
  readonly through?: readonly string[];
  /** Returns the database file as other processes see it, after the load has ended. Empty for Postgres. */
  fileOf(pid: number): string;
  begin(pid: number): Promise<void>;
  end(pid: number): Promise<void>;
  close(): Promise<void>;
}

const succeeds = (command: string, given: readonly string[]) =>
  spawnSync(command, given).status === 0;

/** Another process holds the write lock. */
function lockedOut(folder: string): Outage {
  const file = `${folder}/gateway.db`;
  let other: Database.Database | undefined;
  return {
    name: "a foreign write lock",
    environment: { DATA_DIR: folder },
    fileOf: () => file,
    async begin() {
      other = new Database(file, { timeout: 5_000 });
      other.exec("BEGIN IMMEDIATE");
    },
    async end() {
      other?.exec("ROLLBACK");
      other?.close();
    },
    close: async () => {},
  };
}

/** The kernel does not let the process's files grow (RLIMIT_FSIZE), so writes fail with EFBIG. */
function limited(folder: string): Outage {
  const limit = (pid: number, bytes: string) =>
    void execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
  return {
    name: "files that may not grow (RLIMIT_FSIZE)",
    environment: { DATA_DIR: folder },
    fileOf: () => `${folder}/gateway.db`,
    begin: async (pid) => limit(pid, "1"),
    end: async (pid) => limit(pid, "unlimited"),
    close: async () => {},
  };
}

/** A tmpfs of the process's own, filled from outside, so that writes fail with ENOSPC. Needs a user namespace. */
function filled(folder: string): Outage {
  const inside = (pid: number, name: string) => `/proc/${pid}/root${folder}/${name}`;
  return {
    name: "a full disk (tmpfs)",
    environment: { DATA_DIR: folder },
    through: [
      ...["unshare", "--map-root-user", "--mount", "sh", "-c"],
      `mount -t tmpfs -o size=96m tmpfs "${folder}" && exec "$@"`,
      "sh",
    ],
    // Copies the files, because SQLite would resolve the /proc link to a path outside the namespace.
    fileOf(pid) {
      for (const name of ["gateway.db", "gateway.db-wal"]) {
        copyFileSync(inside(pid, name), `${folder}/${name}`);
      }
      return `${folder}/gateway.db`;
    },
    async begin(pid) {
      // Fills the disk up to the last page.
      for (const bytes of [1_000_000, 4_096]) {
        for (let n = 0; ; n++) {
          try {
            writeFileSync(inside(pid, `filler-${bytes}-${n}`), Buffer.alloc(bytes));
          } catch {
            break;
          }
        }
      }
    },
    async end(pid) {
      for (const bytes of [1_000_000, 4_096]) {
        for (let n = 0; n < 200; n++) rmSync(inside(pid, `filler-${bytes}-${n}`), { force: true });
      }
    },
    close: async () => {},
  };
}

const postgresOf = (name: string, server: TestServer, folder: string, url: string) => ({
  name,
  environment: { DATA_DIR: folder, DATABASE_URL: url },
  fileOf: () => "",
  close: () => server.stop(),
});

async function killed(folder: string): Promise<Outage> {
  const server = await startPostgresServer();
  return {
    ...postgresOf("Postgres killed", server, folder, server.url),
    begin: () => server.kill(),
    end: () => server.restart(),
  };
}

/** Kills a node of Citus: the coordinator, or the worker that holds the schema. */
const killedOnCitus = (node: "coordinator" | "worker") => async (folder: string) => {
  const servers = await startCitusServers();
  const { url } = await createTemporaryDatabase(servers.url);
  const { coordinator, workers } = servers;
  let killed = coordinator;
  return {
    ...postgresOf(`Citus' ${node} killed`, servers, folder, url),
    async begin() {
      if (node === "worker") killed = await findPlace(url, workers);
      await killed.kill();
    },
    end: () => killed.restart(),
  };
};

/** Returns the worker that holds the schema. */
async function findPlace(url: string, workers: readonly PostgresServer[]): Promise<PostgresServer> {
  const [place] = await askOn<{ port: number }>(url, "SELECT nodeport AS port FROM citus_shards");
  const found = workers.find((worker) => new URL(worker.url).port === String(place?.port));
  if (found === undefined) throw new Error("No worker holds the schema.");
  return found;
}

/** The network drops everything without an error. */
async function frozen(folder: string): Promise<Outage> {
  const server = await startPostgresServer();
  const proxy: TcpProxy = await startTcpProxy(server.url);
  return {
    ...postgresOf("a dead network", server, folder, proxy.url),
    begin: async () => proxy.freeze(),
    end: async () => proxy.thaw(),
    async close() {
      await proxy.close();
      await server.stop();
    },
  };
}

/** Functions that create an outage over an existing folder, by store. Outages that this machine cannot do are left out. */
export const outages: Readonly<
  Record<"sqlite" | "postgres", readonly ((folder: string) => Outage | Promise<Outage>)[]>
> = {
  sqlite: [
    lockedOut,
    ...(succeeds("prlimit", ["--version"]) ? [limited] : []),
    ...(succeeds("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/tmp"])
      ? [filled]
      : []),
  ],
  postgres:
    process.env["TEST_POSTGRES"] === "citus"
      ? [killedOnCitus("coordinator"), killedOnCitus("worker")]
      : [killed, frozen],
};
