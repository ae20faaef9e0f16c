import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { askOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import type { Cluster, Disturbance } from "./cluster.js";
import { password, renderHaproxy } from "./patroni-files.js";
import { createPatroniNode, type PatroniNode } from "./patroni-node.js";

const binaries = "/usr/lib/postgresql/15/bin";

/** Returns what this machine lacks to run the cluster. Empty if it can. */
export function findMissingPrograms(): string[] {
  const programs = ["patroni", "etcd", "haproxy"].filter(
    (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0,
  );
  return existsSync(join(binaries, "postgres")) ? programs : [...programs, "postgresql-15"];
}

/** How long a disturbance without a new primary lasts, in milliseconds. */
const standbyFrozenMs = 45_000;
/** The longest time for a promotion or a repair, in milliseconds. */
const patienceMs = 300_000;

/** Whether the server is promoted. */
const isPrimary = async ({ url }: PatroniNode): Promise<boolean> => {
  const sql = "SELECT NOT pg_is_in_recovery() AS yes";
  return (await askOn<{ yes: boolean }>(url, sql))[0]?.yes === true;
};

/** Whether the server commits. With a synchronous standby, one must follow it first. */
const commits = async ({ url }: PatroniNode): Promise<boolean> =>
  (await askOn(url, "SELECT pg_logical_emit_message(true, 'probe', '')")).length === 1;

/** Starts three Postgres servers under Patroni with etcd, behind HAProxy, with the documentation's configuration. */
export async function startPatroniCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "torture-patroni-"));
  chmodSync(folder, 0o755);
  const [etcdPort, peerPort, primaryPort, replicaPort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const client = `http://127.0.0.1:${etcdPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const etcd = spawn(
    "etcd",
    [
      ...["--data-dir", join(folder, "etcd"), "--log-level", "error"],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...["--initial-cluster", `default=${peer}`],
    ],
    { stdio: "ignore" },
  );
  const nodes: PatroniNode[] = [];
  async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isTrue().catch(() => false))) {
      if (performance.now() > deadline) {
        const logs = nodes.map((node) => `${node.name}:\n${node.readLog()}`).join("\n");
        throw new Error(`The cluster did not get ${what} in time.\n${logs}`);
      }
      await wait(10);
    }
  }
  for (const name of ["node-1", "node-2", "node-3"]) {
    nodes.push(await createPatroniNode(name, join(folder, name), binaries, etcdPort));
  }
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    renderHaproxy(
      primaryPort,
      replicaPort,
      nodes.map(({ ports }) => ports),
    ),
  );
  const haproxy = spawn("haproxy", ["-db", "-q", "-f", file], { stdio: "ignore" });
  const urlOf = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

  const find = async (path: string, among: readonly PatroniNode[] = nodes) => {
    const statuses = await Promise.all(among.map((node) => node.ask(path)));
    return among.find((_, n) => statuses[n] === 200);
  };
  const findPrimary = async (): Promise<PatroniNode> => {
    let found: PatroniNode | undefined;
    await until("a primary", async () => {
      found = await find("/primary");
      return found !== undefined;
    });
    return found as PatroniNode;
  };
  /** A primary, a synchronous standby, and a third server that streams. */
  const isHealthy = async () => {
    const statuses = await Promise.all(nodes.map((node) => node.ask("/health")));
    const isRunning = statuses.every((status) => status === 200);
    if (!isRunning || (await find("/sync")) === undefined) return false;
    const { url } = await findPrimary();
    const sql = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
    return (await askOn(url, sql)).length === 2;
  };
  const untilHealthy = () => until("three healthy servers", isHealthy);
  /** Resolves when another server commits. Returns the milliseconds since its promotion. */
  const untilPromoted = async (others: readonly PatroniNode[]): Promise<number> => {
    let promoted: PatroniNode | undefined;
    await until("a new primary", async () => {
      const answers = await Promise.all(others.map((node) => isPrimary(node).catch(() => false)));
      promoted = others[answers.indexOf(true)];
      return promoted !== undefined;
    });
    const promotedAt = performance.now();
    await until("a commit", () => commits(promoted as PatroniNode));
    return performance.now() - promotedAt;
  };

  /** Does something to the primary. Another server must take over. */
  const againstPrimary = (
    name: string,
    harm: (primary: PatroniNode, others: readonly PatroniNode[]) => unknown,
    repair: (former: PatroniNode) => unknown = () => {},
  ): Disturbance => {
    let former: PatroniNode;
    return {
      name,
      async begin() {
        former = await findPrimary();
        const others = nodes.filter((node) => node !== former);
        await harm(former, others);
        return untilPromoted(others);
      },
      async end() {
        await repair(former);
        await untilHealthy();
      },
    };
  };
  let frozen: PatroniNode | undefined;
  const standbyFrozen: Disturbance = {
    name: "synchronous standby frozen",
    async begin() {
      frozen = await find("/sync");
      frozen?.signalAll("SIGSTOP");
      await wait(standbyFrozenMs);
      return 0;
    },
    async end() {
      frozen?.signalAll("SIGCONT");
      await untilHealthy();
    },
  };

  await until("etcd", async () => (await fetch(`${client}/health`)).ok);
  for (const node of nodes) node.start();
  await untilHealthy();
  return {
    name: "three servers with Patroni, etcd and HAProxy",
    url: urlOf(primaryPort),
    readUrl: urlOf(replicaPort),
    disturbances: [
      againstPrimary(
        "primary killed",
        (primary) => primary.signalAll("SIGKILL"),
        (former) => former.start(),
      ),
      againstPrimary(
        "primary frozen",
        (primary) => primary.signalAll("SIGSTOP"),
        (former) => former.signalAll("SIGCONT"),
      ),
      againstPrimary(
        "primary partitioned",
        (primary) => primary.cutOff("everything"),
        (former) => former.reconnect(),
      ),
      againstPrimary(
        "primary stopped",
        (primary) => void primary.stop(),
        async (former) => {
          await former.stop();
          former.start();
        },
      ),
      {
        ...againstPrimary("switchover", async (primary) => {
          const standby = await find("/sync");
          void primary.ask("/switchover", { leader: primary.name, candidate: standby?.name });
        }),
        // The other standby waits for 2 s before it follows (Patroni 3.0.2: `process_unhealthy_cluster`).
        managerPauseMs: 2_000,
      },
      standbyFrozen,
    ],
    primaryUrl: async () => (await findPrimary()).url,
    async fallBehind() {
      const primary = await findPrimary();
      await primary.ask("/config", {
        synchronous_mode: false,
        synchronous_mode_strict: false,
        maximum_lag_on_failover: 1_000_000_000,
      });
      await until("commits that wait for nobody", async () => {
        const sql = "SELECT current_setting('synchronous_standby_names') = '' AS yes";
        return (await askOn<{ yes: boolean }>(primary.url, sql))[0]?.yes === true;
      });
      primary.cutOff("replication");
    },
    async loseNewest() {
      const former = await findPrimary();
      const others = nodes.filter((node) => node !== former);
      former.signalAll("SIGKILL");
      await untilPromoted(others);
    },
    async close() {
      haproxy.kill("SIGKILL");
      await Promise.all(nodes.map((node) => node.close()));
      etcd.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
