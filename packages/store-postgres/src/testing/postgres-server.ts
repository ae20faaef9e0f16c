import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { findFreePort } from "../../../../scripts/find-free-port.js";
import { oncePerRun } from "../../../../scripts/once-per-run.js";
import { findPostgresBinaries } from "./postgres-binaries.js";

/** A Postgres server for tests, on a free port, with its data in a temporary folder. */
export interface PostgresServer {
  /** Connection URL of the superuser, for the database `postgres`. */
  readonly url: string;
  /** The folder of its data. */
  readonly data: string;
  /** Kills the server at once (SIGKILL). Its data stays. */
  kill(): Promise<void>;
  /** Ends the server's connections and stops it, with all data written. */
  shutDown(): Promise<void>;
  /** Starts the server again after `kill` or `shutDown`. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * The program of a watcher process. It stops the server and removes its folder when the test
 * process ends in any way.
 */
const watcherProgram = `
  const { readFileSync, rmSync } = require("node:fs");
  const [folder] = process.argv.slice(1);
  process.on("SIGINT", () => {});
  process.stdin.resume().on("end", () => {
    try {
      process.kill(Number.parseInt(readFileSync(folder + "/data/postmaster.pid", "utf8"), 10), "SIGQUIT");
    } catch {}
    setTimeout(() => rmSync(folder, { recursive: true, force: true }), 500);
  });`;

/** Settings for speed. Test data need not survive a crash of the machine. */
const fastSettings = {
  fsync: "off",
  full_page_writes: "off",
  jit: "off",
  shared_buffers: "64MB",
  max_connections: "200",
  max_wal_size: "2GB",
};

type Settings = Readonly<Record<string, string>>;

/** Starts an empty server of the programs in the folder `binaries`. */
export async function startPostgresServer(
  settings: Settings = {},
  binaries = findPostgresBinaries(),
): Promise<PostgresServer> {
  const digest = createHash("sha256").update(binaries).digest("hex").slice(0, 16);
  const empty = await oncePerRun(`postgres-${digest}`, async (made) =>
    createCluster(binaries, made, findRunUser()),
  );
  return startCopy(join(empty, "data"), settings, binaries);
}

/** Starts a streaming standby of a server, which is stopped for a moment. */
export async function startStandbyOf(
  primary: PostgresServer,
  settings: Settings = {},
): Promise<PostgresServer> {
  const { hostname, port, username } = new URL(primary.url);
  const backup = await backUpServer(primary);
  return startFromBackup(backup, "standby", {
    primary_conninfo: `host=${hostname} port=${port} user=${username}`,
    ...settings,
  });
}

/** Copies the data of a server, which is stopped for a moment. Returns the folder. */
export async function backUpServer(server: PostgresServer): Promise<string> {
  const backup = mkdtempSync(join(tmpdir(), "device-gateway-copy-"));
  await server.shutDown();
  cpSync(server.data, backup, { recursive: true });
  await server.restart();
  return backup;
}

/** Starts a server from a copy, which is removed, as a standby or to recover from archived files. */
export async function startFromBackup(
  backup: string,
  as: "standby" | "recovery",
  settings: Settings,
): Promise<PostgresServer> {
  try {
    writeFileSync(join(backup, `${as}.signal`), "");
    return await startCopy(backup, settings);
  } finally {
    rmSync(backup, { recursive: true, force: true });
  }
}

/** Starts a server on a copy of a folder of data. */
async function startCopy(
  original: string,
  settings: Settings,
  binaries = findPostgresBinaries(),
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-pg-"));
  const data = join(folder, "data");
  const runUser = findRunUser();
  chmodSync(folder, 0o755);
  cpSync(original, data, { recursive: true });
  // Postgres requires it, and from Node 22 on `cpSync` does not keep the mode of a folder.
  chmodSync(data, 0o700);
  if (runUser) giveTo(data, runUser);
  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const flags = Object.entries({
    ...fastSettings,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    logging_collector: "off",
    log_min_messages: "fatal",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const watcher = spawn(process.execPath, ["-e", watcherProgram, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.unref();

  const run = () => startProgram(join(binaries, "postgres"), ["-D", data, ...flags], runUser, url);
  let program = await run();
  return {
    url,
    data,
    kill: () => end(program, "SIGKILL"),
    shutDown: () => end(program, "SIGINT"),
    async restart() {
      program = await run();
    },
    async stop() {
      await end(program, "SIGQUIT");
      watcher.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface RunUser {
  readonly uid: number;
  readonly gid: number;
}

/** Creates the files of an empty server in `data` of a folder. This takes longer than copying them. */
function createCluster(binaries: string, folder: string, runUser: RunUser | undefined): void {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (runUser) chownSync(data, runUser.uid, runUser.gid);
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"];
  execFileSync(join(binaries, "initdb"), [...initdb, "--no-sync", "--no-instructions"], {
    ...runUser,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Makes a user the owner of a folder and its contents. */
function giveTo(folder: string, { uid, gid }: RunUser): void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of ["", ...names]) chownSync(join(folder, name), uid, gid);
}

/** Postgres refuses to run as root. Root then starts it as the user nobody. */
function findRunUser(): RunUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}

/**
 * Starts Postgres and waits until it answers. Tries again while resources of a killed server are
 * still in use.
 */
async function startProgram(
  path: string,
  flags: readonly string[],
  runUser: object | undefined,
  url: string,
): Promise<ChildProcess> {
  const deadline = performance.now() + 120_000;
  let output = "";
  while (performance.now() < deadline) {
    const program = spawn(path, flags, { ...runUser, stdio: ["ignore", "ignore", "pipe"] });
    program.stderr?.on("data", (chunk: Buffer) => {
      output = chunk.toString();
    });
    while (program.exitCode === null && performance.now() < deadline) {
      if (await answers(url)) return program;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    program.kill("SIGKILL");
  }
  throw new Error(`Postgres does not start: ${output}`);
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function end(program: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, "exit");
  program.kill(signal);
  await exited;
}
