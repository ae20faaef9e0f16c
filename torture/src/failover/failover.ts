import { setTimeout as wait } from "node:timers/promises";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { type BundledServer, bundleServer } from "../load/bundled-server.js";
import { compareStored } from "../load/compare-stored.js";
import type { ReportLine } from "../report.js";
import type { Cluster, Disturbance } from "./cluster.js";
import { prepareLostHistory } from "./lost-history.js";
import { type MeasuredServers, poolSize, startMeasuredServers } from "./measured-servers.js";
import { findMissingPrograms, startPatroniCluster } from "./patroni-cluster.js";
import { startPlainCluster } from "./plain-cluster.js";

/** `backMs` is the longest time from a promotion to each server's first 200. The short form, which must pass on a busy machine, finds only servers that do not recover. */
const forms = {
  long: { servers: 3, rounds: 2, calmMs: 3_000, backMs: 1_000, patienceMs: 60_000 },
  short: { servers: 2, rounds: 1, calmMs: 300, backMs: 60_000, patienceMs: 60_000 },
};

const formOf = ({ long }: AttackOptions) => forms[long ? "long" : "short"];

function addWrong(findings: Findings, what: string, servers: MeasuredServers): number {
  let sum = 0;
  for (const [fault, count] of servers.seen.wrong) {
    findings.add(`${what}: ${count} × ${fault}`);
    sum += count;
  }
  const most = servers.urls.length * poolSize;
  if (servers.seen.mostBackends > most)
    findings.add(`${what}: ${servers.seen.mostBackends} connections, more than ${most}`);
  return sum;
}

/** Waits until each server takes records. Adds a finding if one does not. Returns the milliseconds until the last of them. */
async function untilBack(
  options: AttackOptions,
  findings: Findings,
  what: string,
  servers: MeasuredServers,
): Promise<number> {
  const { patienceMs } = formOf(options);
  const ms = await servers.untilAllTake(patienceMs);
  if (ms === null) findings.add(`${what}: a server answered no 200 within ${patienceMs} ms`);
  return ms ?? patienceMs;
}

async function stopLoads(
  findings: Findings,
  what: string,
  { loads }: MeasuredServers,
): Promise<void> {
  const unfinished = describeUnfinished(await Promise.all(loads.map((load) => load.stop())));
  if (unfinished !== undefined) findings.add(`${what}: ${unfinished}`);
}

/** Runs one disturbance under load. Returns its row, without what is lost. */
async function goThrough(
  options: AttackOptions,
  findings: Findings,
  servers: MeasuredServers,
  { name, managerPauseMs = 0, begin, end }: Disturbance,
): Promise<ReportLine> {
  const { calmMs, ...form } = formOf(options);
  const backMs = form.backMs + managerPauseMs;
  const rounds = options.rounds ?? form.rounds;
  let commitMs = 0;
  let slowest = 0;
  servers.reset();
  for (let round = 0; round < rounds; round++) {
    await wait(calmMs);
    const committed = await begin();
    commitMs = Math.max(commitMs, Math.round(committed));
    const took = await untilBack(options, findings, name, servers);
    slowest = Math.max(slowest, Math.round(committed + took));
    await end();
    await untilBack(options, findings, `${name}, after its end`, servers);
    options.print?.(`${name}: round ${round + 1} of ${rounds}`);
  }
  if (slowest > backMs) findings.add(`${name}: the first 200 came after ${slowest} ms`);
  const wrong = addWrong(findings, name, servers);
  const { taken, unavailable, mostBackends } = servers.seen;
  return {
    what: `${name}: ${taken} × 200, ${unavailable} × 503`,
    rounds,
    result: `${wrong} others; after the promotion, the database commits within ${commitMs} ms and each server answers 200 within ${slowest} ms; ${mostBackends} connections`,
    bar: `0 others; ≤ ${backMs} ms; ≤ ${servers.urls.length * poolSize} connections`,
  };
}

/** The primary fails while commits wait for a standby. Nothing may be lost. */
async function keepAll(
  options: AttackOptions,
  findings: Findings,
  cluster: Cluster,
  bundle: BundledServer,
): Promise<ReportLine[]> {
  const { servers: count } = formOf(options);
  const environment = { DATABASE_SYNCHRONOUS_STANDBY: "1" };
  const { seed } = options;
  const servers = await startMeasuredServers(cluster, bundle, { count, seed, environment });
  try {
    const lines: ReportLine[] = [];
    for (const load of servers.loads) load.begin();
    for (const disturbance of cluster.disturbances) {
      if (options.only?.test(disturbance.name) === false) continue;
      lines.push(await goThrough(options, findings, servers, disturbance));
    }
    servers.reset();
    await stopLoads(findings, "all of these", servers);
    addWrong(findings, "in the end", servers);
    const store = await openPostgresStore({ url: cluster.url, poolSize: 2 });
    const sent = new Map(servers.loads.flatMap((load) => [...load.acknowledged]));
    const { acknowledged, lost, twice } = await compareStored(store, sent);
    await store.close();
    if (lost > 0) findings.add(`${lost} readings are lost`);
    if (twice > 0) findings.add(`${twice} readings are stored twice`);
    const what = `readings after all of these, on ${cluster.name}: ${acknowledged} acknowledged`;
    const result = `${lost} lost, ${twice} twice`;
    return [...lines, { what, rounds: 1, result, bar: "0 lost, 0 twice" }];
  } finally {
    await servers.close();
  }
}

/** A standby that is behind is promoted. No server may serve what the database no longer holds. */
async function loseNewest(
  options: AttackOptions,
  findings: Findings,
  cluster: Cluster,
  bundle: BundledServer,
): Promise<ReportLine> {
  const { servers: count, calmMs } = formOf(options);
  const { seed } = options;
  const environment = { DATABASE_READ_URL: cluster.readUrl, DATABASE_READ_LAG_SECONDS: "60" };
  const servers = await startMeasuredServers(cluster, bundle, { count, seed, environment });
  const name = "asynchronous standby promoted";
  try {
    const history = await prepareLostHistory(servers.urls, cluster.url);
    for (const load of servers.loads) load.begin();
    await wait(calmMs);
    await cluster.fallBehind();
    await history.write();
    await wait(calmMs);
    await cluster.loseNewest();
    await untilBack(options, findings, name, servers);
    await history.writeAgain();
    await stopLoads(findings, name, servers);
    // Before the attack connects to the database itself: its connections have the same name.
    const wrong = addWrong(findings, name, servers);
    // §1: within a second, no process uses what it knew before.
    await wait(1_000);
    const differences = await history.findDifferences(servers.devices);
    for (const difference of differences) findings.add(`${name}: ${difference}`);
    const store = await openPostgresStore({ url: cluster.url, poolSize: 2 });
    const sent = new Map(servers.loads.flatMap((load) => [...load.acknowledged]));
    const { lost } = await compareStored(store, sent);
    await store.close();
    // Otherwise the attack would prove nothing.
    if (lost === 0) findings.add(`${name}: the failover lost nothing`);
    return {
      what: `${name}: ${servers.seen.taken} × 200, ${lost} readings lost by the database`,
      rounds: 1,
      result: `${wrong} others, ${differences.length} differences between servers and database`,
      bar: "0 others, 0 differences",
    };
  } finally {
    await servers.close();
  }
}

async function failOver(options: AttackOptions) {
  const name = `failover ${options.store}`;
  if (options.store !== "postgres") return { name, lines: [], violations: [] };
  const findings = createFindings("failover", options);
  const missing = options.long ? findMissingPrograms() : [];
  if (missing.length > 0) {
    const what = `left out: this machine has no ${missing.join(", ")}. Install the packages of Debian: patroni etcd-server haproxy postgresql-15`;
    return { name, lines: [{ what, rounds: 0, result: "–", bar: "–" }], violations: [] };
  }
  const start = options.long ? startPatroniCluster : startPlainCluster;
  const bundle = await bundleServer({ long: options.long ?? false });
  const lines: ReportLine[] = [];
  try {
    for (const run of [keepAll, loseNewest]) {
      // `--round` runs only one of the two.
      if (options.round !== undefined && options.round !== (run === keepAll ? 0 : 1)) continue;
      const cluster = await start();
      try {
        lines.push(...[await run(options, findings, cluster, bundle)].flat());
      } finally {
        await cluster.close();
      }
    }
    return { name, lines, violations: findings.violations };
  } finally {
    await bundle.remove();
  }
}

/**
 * Lets the primary of a replicated Postgres fail under load, in every way. With a synchronous standby nothing
 * acknowledged may be lost. After a failover to a standby that was behind, every server must serve what the database holds.
 */
export const failover: Attack = failOver;
