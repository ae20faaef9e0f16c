import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { findPostgresBinaries } from "./postgres-binaries.js";

/** A Postgres server of our own, on a port that was free, with its data in a temporary folder. */
export interface PostgresServer {
  /** Of its superuser, to the database `postgres`. */
  readonly url: string;
  /** Ends it where it stands, as `kill -9` does; its data stays. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Ends the server and removes its folder when whoever started it is gone, however it went. */
const guard = `
  const { readFileSync, rmSync } = require("node:fs");
  const [folder] = process.argv.slice(1);
  process.on("SIGINT", () => {});
  process.stdin.resume().on("end", () => {
    try {
      process.kill(Number.parseInt(readFileSync(folder + "/data/postmaster.pid", "utf8"), 10), "SIGQUIT");
    } catch {}
    setTimeout(() => rmSync(folder, { recursive: true, force: true }), 500);
  });`;

/** Tests want speed: nothing here has to outlive the machine. */
const fastSettings = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "64MB",
  max_connections: "200",
  max_wal_size: "2GB",
};

export async function startPostgresServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const binaries = findPostgresBinaries();
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-pg-"));
  const data = join(folder, "data");
  const identity = takeIdentity();
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (identity) chownSync(data, identity.uid, identity.gid);
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"];
  execFileSync(join(binaries, "initdb"), [...initdb, "--no-sync", "--no-instructions"], {
    ...identity,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const flags = Object.entries({
    ...fastSettings,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    logging_collector: "off",
    log_min_messages: "panic",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const watching = spawn(process.execPath, ["-e", guard, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watching.unref();

  const run = () => startProgram(join(binaries, "postgres"), ["-D", data, ...flags], identity, url);
  let program = await run();
  return {
    url,
    kill: () => end(program, "SIGKILL"),
    async restart() {
      program = await run();
    },
    async stop() {
      await end(program, "SIGQUIT");
      watching.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres does not run as root: nobody does it then. */
function takeIdentity(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}

/** Starts it, once more while what a killed one left is still in use, until it answers. */
async function startProgram(
  path: string,
  flags: readonly string[],
  identity: object | undefined,
  url: string,
): Promise<ChildProcess> {
  const deadline = performance.now() + 20_000;
  let said = "";
  while (performance.now() < deadline) {
    const program = spawn(path, flags, { ...identity, stdio: ["ignore", "ignore", "pipe"] });
    program.stderr?.on("data", (chunk: Buffer) => {
      said = chunk.toString();
    });
    while (program.exitCode === null && performance.now() < deadline) {
      if (await answers(url)) return program;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    program.kill("SIGKILL");
  }
  throw new Error(`Postgres does not start: ${said}`);
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
