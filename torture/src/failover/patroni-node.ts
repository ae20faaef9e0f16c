import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type NodePorts, password, renderPatroni } from "./patroni-files.js";
import { type PausingProxy, startPausingProxy } from "./pausing-proxy.js";
import { processesOf } from "./processes-of.js";

/** A database server: Patroni and the Postgres that it manages. */
export interface PatroniNode {
  readonly name: string;
  readonly ports: NodePorts;
  /** URL of its Postgres, past all proxies. */
  readonly url: string;
  /** What Patroni says of a path of its REST API: the status, or null if it does not answer. */
  ask(path: string, body?: object): Promise<number | null>;
  start(): void;
  /** Stops Patroni, which stops Postgres first, as a service manager does. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Returns the latest lines of Patroni and Postgres. */
  readLog(): string;
  /** Sends a signal to Patroni, Postgres and all their processes. */
  signalAll(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Cuts the node off from everything, or only from the other database servers. */
  cutOff(what: "everything" | "replication"): void;
  reconnect(): void;
  close(): Promise<void>;
}

const user = "postgres";
const idOf = (flag: string) => Number(execFileSync("id", [flag, user], { encoding: "utf8" }));

export async function createPatroniNode(
  name: string,
  folder: string,
  binaries: string,
  etcdPort: number,
): Promise<PatroniNode> {
  // Postgres refuses to run as root.
  const runAs = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;
  const postgres = await findFreePort();
  const rest = await findFreePort();
  const [replicationProxy, balancerProxy, restProxy, etcdProxy] = await Promise.all([
    startPausingProxy(postgres),
    startPausingProxy(postgres),
    startPausingProxy(rest),
    startPausingProxy(etcdPort),
  ]);
  const proxies: Record<"everything" | "replication", readonly PausingProxy[]> = {
    everything: [replicationProxy, balancerProxy, restProxy, etcdProxy],
    replication: [replicationProxy],
  };
  const ports: NodePorts = {
    postgres,
    rest,
    replicationProxy: replicationProxy.port,
    balancerProxy: balancerProxy.port,
    restProxy: restProxy.port,
    etcdProxy: etcdProxy.port,
  };
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "patroni.yml");
  writeFileSync(file, renderPatroni(name, folder, binaries, ports));
  if (runAs) for (const path of [folder, file]) chownSync(path, runAs.uid, runAs.gid);
  let patroni: ChildProcess | undefined;

  function readPostmaster(): number[] {
    const pidFile = join(folder, "data/postmaster.pid");
    return existsSync(pidFile) ? [Number.parseInt(readFileSync(pidFile, "utf8"), 10)] : [];
  }
  function signalAll(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    const roots = [patroni?.pid ?? -1, ...readPostmaster()];
    for (const id of processesOf(roots)) {
      try {
        process.kill(id, signal);
      } catch {
        // It has ended.
      }
    }
  }
  return {
    name,
    ports,
    url: `postgres://${user}:${password}@127.0.0.1:${postgres}/postgres`,
    async ask(path, body) {
      const request: RequestInit = {
        signal: AbortSignal.timeout(1_000),
        ...(body && { method: path === "/config" ? "PATCH" : "POST", body: JSON.stringify(body) }),
      };
      const answer = await fetch(`http://127.0.0.1:${rest}${path}`, request).catch(() => null);
      await answer?.arrayBuffer().catch(() => {});
      return answer?.status ?? null;
    },
    async stop() {
      if (patroni === undefined || patroni.exitCode !== null) return;
      const hasEnded = once(patroni, "exit");
      patroni.kill("SIGTERM");
      await hasEnded;
    },
    start() {
      const log = openSync(join(folder, "log"), "a");
      patroni = spawn("patroni", [file], { ...runAs, stdio: ["ignore", log, log], cwd: folder });
    },
    readLog: () => readFileSync(join(folder, "log"), "utf8").split("\n").slice(-30).join("\n"),
    signalAll,
    cutOff(what) {
      for (const proxy of proxies[what]) proxy.pause();
    },
    reconnect() {
      for (const proxy of proxies.everything) proxy.resume();
    },
    async close() {
      signalAll("SIGKILL");
      await Promise.all(proxies.everything.map((proxy) => proxy.close()));
    },
  };
}
