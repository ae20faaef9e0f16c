import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type Arrivals, openArrivals } from "../arrivals/arrivals.js";
import { type Attack, type AttackOptions, createFindings, type Findings } from "../attack.js";
import type { Killable } from "../killable.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { type BundledServer, bundleServer } from "../load/bundled-server.js";
import { compareStored } from "../load/compare-stored.js";
import { type Observed, preparePostLoad } from "../load/post-load.js";
import { startRecorders } from "../load/recorders.js";
import type { ReportLine } from "../report.js";
import { type Outage, outages } from "./outages.js";
import { startProbe } from "./probe.js";

/**
 * The longest time for a response, and after an outage until the server accepts records again. The short form finds
 * only what hangs, because it must pass on a busy machine, and leaves pauses between its requests.
 */
const forms = {
  long: { slowestMs: 2_000, recoveryMs: 5_000, outageMs: 30_000, pauseMs: 10 },
  short: { slowestMs: 20_000, recoveryMs: 60_000, outageMs: 2_500, pauseMs: 60 },
};

interface Seen {
  taken: number;
  unavailable: number;
  slowestMs: number;
  /** Counts of all other results, by description. */
  readonly wrong: Map<string, number>;
}

function createObserver(seen: Seen, patienceMs: number) {
  const count = (what: string) => void seen.wrong.set(what, (seen.wrong.get(what) ?? 0) + 1);
  return ({ status, retryAfter, fault, ms }: Observed, where = "/api/v1/telemetry") => {
    seen.slowestMs = Math.max(seen.slowestMs, ms);
    if (status === null) count(`${where}: ${fault}`);
    else if (status >= 200 && status < 300) seen.taken += 1;
    else if (status === 503 && retryAfter !== undefined) seen.unavailable += 1;
    else count(`${where}: ${status}${status === 503 ? " without Retry-After" : ""}`);
    if (ms > patienceMs) count(`${where}: an answer that took more than ${patienceMs} ms`);
  };
}

/** Several servers share one Postgres. SQLite has one. */
const serversOf = ({ store, long }: AttackOptions) => (store !== "postgres" ? 1 : long ? 4 : 2);

async function startServers(
  count: number,
  outage: Outage,
  server: BundledServer,
  settings: Arrivals["settings"],
) {
  const started: { url: string; running: Killable }[] = [];
  for (let n = 0; n < count; n++) {
    const port = await findFreePort();
    const environment = { ...outage.environment, ...settings };
    const running = await server.start(port, environment, outage.through);
    started.push({ url: `http://127.0.0.1:${port}`, running });
  }
  return started;
}

async function goThrough(
  options: AttackOptions,
  findings: Findings,
  outage: Outage,
  server: BundledServer,
): Promise<ReportLine[]> {
  const { long = false, seed, rounds = long ? 3 : 1 } = options;
  const arrivals = await openArrivals({ seed, long });
  const servers = await startServers(serversOf(options), outage, server, arrivals.settings);
  const [first, last] = [servers[0], servers.at(-1)];
  if (first === undefined || last === undefined) throw new Error("There is no server.");
  const { pid } = first.running;
  const seen: Seen = { taken: 0, unavailable: 0, slowestMs: 0, wrong: new Map() };
  const takenBy = servers.map(() => 0);
  const { slowestMs, recoveryMs, outageMs, pauseMs } = forms[long ? "long" : "short"];
  const observe = createObserver(seen, slowestMs);
  try {
    const loads = await Promise.all(
      servers.map(({ url }, place) =>
        preparePostLoad({
          ...{ url, seed: seed + place, connections: 4, pauseMs },
          devices: [0, 1, 2].map((n) => `post-${place}-${n}`),
          observe: (observed) => {
            if (observed.status === 200) takenBy[place] = (takenBy[place] ?? 0) + 1;
            observe(observed);
          },
        }),
      ),
    );
    const probe = await startProbe(first.url, observe);
    await arrivals.arrange(first.url);
    arrivals.begin(last.url);
    const devices = ["client-0", "client-1"];
    const clients = startRecorders({ baseUrl: last.url, seed, devices, now: Date.now });
    for (const load of loads) load.begin();
    let lateMs = 0;
    for (let round = 0; round < rounds; round++) {
      await wait(500);
      await outage.begin(pid);
      await wait(outageMs);
      await outage.end(pid);
      const endedAt = performance.now();
      const before = [...takenBy];
      const isBack = () => takenBy.every((taken, place) => taken >= (before[place] ?? 0) + 20);
      while (!isBack() && performance.now() - endedAt <= recoveryMs) await wait(10);
      lateMs = Math.max(lateMs, performance.now() - endedAt);
    }
    const stopped = [...loads, clients].map((load) => load.stop());
    const unfinished = describeUnfinished(await Promise.all(stopped));
    if (unfinished !== undefined) findings.add(`${outage.name}: ${unfinished}`);
    await Promise.all([probe.stop(), arrivals.stop()]);
    if (lateMs > recoveryMs)
      findings.add(`${outage.name}: the server recovered only after ${Math.round(lateMs)} ms`);
    for (const [what, count] of seen.wrong) findings.add(`${outage.name}: ${count} × ${what}`);
    if (seen.unavailable === 0) findings.add(`${outage.name}: no request noticed the outage`);
    const databaseUrl = outage.environment["DATABASE_URL"];
    const store = await (databaseUrl === undefined
      ? openSqliteStore({ file: outage.fileOf(pid) })
      : openPostgresStore({ url: databaseUrl, poolSize: 2 }));
    const sent = loads.flatMap((load) => [...load.acknowledged]);
    const all = [...sent, ...clients.acknowledged, ...arrivals.acknowledged];
    const compared = await compareStored(store, new Map(all));
    for (const what of await arrivals.findProblems(store)) findings.add(`${outage.name}: ${what}`);
    await store.close();
    if (compared.lost > 0) findings.add(`${outage.name}: ${compared.lost} readings are lost`);
    if (compared.twice > 0) findings.add(`${outage.name}: ${compared.twice} readings twice`);
    const { taken, unavailable } = seen;
    const wrong = [...seen.wrong.values()].reduce((sum, count) => sum + count, 0);
    const seconds = (seen.slowestMs / 1_000).toFixed(1);
    const behind = servers.length === 1 ? "" : ` behind ${servers.length} servers`;
    const kept = {
      what: `${outage.name}${behind}: ${taken} taken, ${unavailable} × 503, ${compared.acknowledged} acknowledged`,
      rounds,
      result: `${wrong} others, slowest ${seconds} s, ${compared.lost} lost, ${compared.twice} twice, back in ${(lateMs / 1_000).toFixed(1)} s`,
      bar: `0 others, ≤ ${slowestMs / 1_000} s, 0 lost, 0 twice`,
    };
    return [kept, arrivals.describe()];
  } finally {
    await Promise.all(servers.map(({ running }) => running.kill()));
    arrivals.close();
  }
}

async function takeAway(options: AttackOptions) {
  const { store } = options;
  if (store === "memory") return { name: "outage memory", lines: [], violations: [] };
  const findings = createFindings("outage", options);
  const server = await bundleServer({ long: options.long ?? false });
  const lines: ReportLine[] = [];
  try {
    for (const [place, create] of outages[store].entries()) {
      // `--round` runs only one kind of outage.
      if (options.round !== undefined && options.round !== place) continue;
      const folder = mkdtempSync(join(tmpdir(), "torture-outage-"));
      const outage = await create(folder);
      try {
        lines.push(...(await goThrough(options, findings, outage, server)));
      } finally {
        await outage.close();
        rmSync(folder, { recursive: true, force: true });
      }
      options.progress?.(place + 1, outages[store].length);
    }
    return { name: `outage ${store}`, lines, violations: findings.violations };
  } finally {
    await server.remove();
  }
}

/**
 * Makes the storage unavailable for a while under load: locked, full, killed or silent. Requests must be
 * answered in time, and each acknowledged record must be stored exactly once, without a restart.
 */
export const outage: Attack = takeAway;
