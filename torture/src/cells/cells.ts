import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { sampleRelease, sampleSecurityEvent } from "@device-gateway/testing";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import type { SourceChange } from "../../../scripts/bundle-programs.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { type AttackOptions, createFindings, type Findings } from "../attack.js";
import type { Killable } from "../killable.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { type BundledServer, bundleServer } from "../load/bundled-server.js";
import { compareStored } from "../load/compare-stored.js";
import { type Observed, preparePostLoad } from "../load/post-load.js";
import { startProbe } from "../outage/probe.js";
import type { Report, ReportLine } from "../report.js";
import { type DatabaseSet, startDatabases } from "./database-set.js";

/** The short form, which must pass on a busy machine, finds only errors and servers that do not recover. */
const forms = {
  long: {
    ...{ gateways: 2, databases: 4, cells: 8, rounds: 2, outageMs: 30_000 },
    ...{ slowestMs: 2_000, toleratedShare: 0 },
  },
  short: {
    ...{ gateways: 1, databases: 2, cells: 2, rounds: 1, outageMs: 1_500 },
    // On a busy machine, calls of a database that is up may reach their deadline.
    ...{ slowestMs: 60_000, toleratedShare: 0.5 },
  },
};
/** How long the devices of the database that was down may need to get a 200 again. */
const recoveryMs = 60_000;

export interface CellsOptions extends AttackOptions {
  /** Bugs to plant in the servers. */
  readonly changes?: readonly SourceChange[];
}

const formOf = ({ long }: AttackOptions) => forms[long ? "long" : "short"];

/** Returns ids of devices whose cells are in one database. */
function devicesOf({ serverOf }: DatabaseSet, database: number, prefix: string, count: number) {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++) {
    if (serverOf(`${prefix}-${n}`) === database) found.push(`${prefix}-${n}`);
  }
  return found;
}

/** Responses to the devices of one database. */
interface Seen {
  taken: number;
  unavailable: number;
  /** 503 with `Retry-After` although the database is up. */
  refused: number;
  /** The part of `taken` and `refused` while another database was down. */
  takenMeanwhile: number;
  refusedMeanwhile: number;
  slowestMs: number;
  /** All other results, and refusals while the database was up, by description. */
  readonly wrong: Map<string, number>;
}

const nothingSeen = {
  ...{ taken: 0, unavailable: 0, refused: 0 },
  ...{ takenMeanwhile: 0, refusedMeanwhile: 0, slowestMs: 0 },
};

interface Scene {
  readonly databases: DatabaseSet;
  readonly urls: readonly string[];
  readonly seen: readonly Seen[];
  /** The database that is down, or was a moment ago. */
  down: number | undefined;
}

function observeFor(scene: Scene, database: number, patienceMs: number) {
  const seen = scene.seen[database] as Seen;
  const count = (what: string) => void seen.wrong.set(what, (seen.wrong.get(what) ?? 0) + 1);
  return ({ status, retryAfter, fault, ms }: Observed, what = "/api/v1/telemetry") => {
    seen.slowestMs = Math.max(seen.slowestMs, ms);
    const isMeanwhile = scene.down !== undefined && scene.down !== database;
    if (status === 200) {
      seen.taken += 1;
      if (isMeanwhile) seen.takenMeanwhile += 1;
    } else if (status !== 503 || retryAfter === undefined) count(`${what}: ${status ?? fault}`);
    else if (scene.down === database) seen.unavailable += 1;
    else {
      seen.refused += 1;
      if (isMeanwhile) seen.refusedMeanwhile += 1;
    }
    if (ms > patienceMs) count(`${what}: an answer that took more than ${patienceMs} ms`);
  };
}

/** Publishes a release that every device is offered. */
async function publish({ openStore }: DatabaseSet): Promise<void> {
  const store = await openStore();
  const release = sampleRelease({
    ...{ version: "2.0.0", targetHardware: "board", status: "active", hasImage: true },
    ...{ activatedAt: Date.now() },
  });
  await store.releases.create({ release, event: sampleSecurityEvent("", "release.created") });
  await store.close();
}

/** Lists need all databases. Adds a finding if one is answered in part. */
async function readList(url: string, token: string): Promise<string | null> {
  const answer = await fetch(`${url}/api/v1/dashboard/devices`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  if (answer.status === 503 && answer.headers.has("retry-after")) return null;
  return `a list was answered with ${answer.status}`;
}

async function untilTaken(seen: Seen, before: number): Promise<number> {
  const startedAt = performance.now();
  while (seen.taken < before + 20 && performance.now() - startedAt < recoveryMs) await wait(20);
  return performance.now() - startedAt;
}

/** Adds what went wrong since the last call. Returns how often something did. */
function addWrong(
  { toleratedShare }: { readonly toleratedShare: number },
  findings: Findings,
  name: string,
  scene: Scene,
): number {
  let wrong = 0;
  for (const seen of scene.seen) {
    const { refused, refusedMeanwhile, takenMeanwhile } = seen;
    const tolerated = toleratedShare * (refusedMeanwhile + takenMeanwhile);
    if (refusedMeanwhile > tolerated || (toleratedShare === 0 && refused > 0)) {
      seen.wrong.set("503 although its database is up", refused);
    }
    for (const [what, count] of seen.wrong) findings.add(`${name}: ${count} × ${what}`);
    wrong += [...seen.wrong.values()].reduce((sum, count) => sum + count, 0);
    Object.assign(seen, nothingSeen);
    seen.wrong.clear();
  }
  return wrong;
}

/** Kills one database for a while. Returns the row of the report. */
async function takeDown(
  options: AttackOptions,
  findings: Findings,
  scene: Scene,
  database: number,
): Promise<ReportLine> {
  const { outageMs, slowestMs, ...form } = formOf(options);
  const rounds = options.rounds ?? form.rounds;
  const name = database === 0 ? "the home's database killed" : "a database of cells killed";
  const token = await signCustomer("c-1");
  const server = scene.databases.servers[database];
  const own = scene.seen[database] as Seen;
  let backMs = 0;
  for (let round = 0; round < rounds; round++) {
    await wait(500);
    scene.down = database;
    await server?.kill();
    const until = performance.now() + outageMs;
    do {
      for (const url of scene.urls) {
        const wrong = await readList(url, token);
        if (wrong !== null) findings.add(`${name}: ${wrong}`, round);
      }
      await wait(200);
    } while (performance.now() < until);
    await server?.restart();
    backMs = Math.max(backMs, await untilTaken(own, own.taken));
    scene.down = undefined;
    options.print?.(`${name}: round ${round + 1} of ${rounds}`);
  }
  if (backMs > recoveryMs) findings.add(`${name}: its devices get no 200 after ${recoveryMs} ms`);
  if (own.unavailable === 0) findings.add(`${name}: no request noticed it`);
  const others = scene.seen.filter((seen) => seen !== own);
  const taken = others.reduce((sum, seen) => sum + seen.taken, 0);
  const slowest = Math.max(...others.map((seen) => seen.slowestMs));
  if (others.some(({ takenMeanwhile }) => takenMeanwhile === 0))
    findings.add(`${name}: the devices of another database got no 200 meanwhile`);
  const { unavailable } = own;
  const wrong = addWrong(formOf(options), findings, name, scene);
  return {
    what: `${name}: ${taken} × 200 to devices of other databases, ${unavailable} × 503 to its own`,
    rounds,
    result: `${wrong} errors of others, slowest ${(slowest / 1_000).toFixed(1)} s, back in ${(backMs / 1_000).toFixed(1)} s`,
    bar: `0 errors of others, ≤ ${slowestMs / 1_000} s`,
  };
}

async function attackServers(
  options: AttackOptions,
  findings: Findings,
  databases: DatabaseSet,
  bundle: BundledServer,
): Promise<readonly ReportLine[]> {
  const { seed } = options;
  const form = formOf(options);
  const folder = mkdtempSync(join(tmpdir(), "torture-cells-"));
  const running: Killable[] = [];
  const urls: string[] = [];
  try {
    for (let n = 0; n < form.gateways; n++) {
      const port = await findFreePort();
      running.push(await bundle.start(port, { ...databases.environment, DATA_DIR: folder }));
      urls.push(`http://127.0.0.1:${port}`);
    }
    await publish(databases);
    const seen = databases.servers.map((): Seen => ({ ...nothingSeen, wrong: new Map() }));
    const scene: Scene = { databases, urls, seen, down: undefined };
    const places = urls.flatMap((url, n) =>
      databases.servers.map((_, database) => ({ url, n, database })),
    );
    const loads = await Promise.all(
      places.map(({ url, n, database }) =>
        preparePostLoad({
          ...{ url, seed: seed + 97 * n + database, connections: 2, pauseMs: 60 },
          devices: devicesOf(databases, database, `post-${n}`, 2),
          observe: observeFor(scene, database, form.slowestMs),
        }),
      ),
    );
    const probes = [];
    for (const { url, n, database } of places) {
      const [deviceId = ""] = devicesOf(databases, database, `probe-${n}`, 1);
      const observe = observeFor(scene, database, form.slowestMs);
      probes.push(await startProbe(url, observe, { deviceId, updates: true }));
    }
    for (const load of loads) load.begin();
    const lines: ReportLine[] = [];
    for (const database of [databases.servers.length - 1, 0]) {
      lines.push(await takeDown(options, findings, scene, database));
    }
    const unfinished = describeUnfinished(await Promise.all(loads.map((load) => load.stop())));
    if (unfinished !== undefined) findings.add(unfinished);
    await Promise.all(probes.map((probe) => probe.stop()));
    addWrong(form, findings, "in the end", scene);
    const store = await databases.openStore();
    const sent = new Map(loads.flatMap((load) => [...load.acknowledged]));
    const { acknowledged, lost, twice } = await compareStored(store, sent);
    await store.close();
    if (lost > 0) findings.add(`${lost} readings are lost`);
    if (twice > 0) findings.add(`${twice} readings are stored twice`);
    const what = `readings in ${form.cells} cells on ${form.databases} databases: ${acknowledged} acknowledged`;
    const result = `${lost} lost, ${twice} twice`;
    return [...lines, { what, rounds: 1, result, bar: "0 lost, 0 twice" }];
  } finally {
    await Promise.all(running.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Kills one of several databases under load, and then the one with the home. Devices of other databases must not be
 * affected, lists are refused instead of cut, and each acknowledged record must be stored exactly once.
 */
export async function cells(options: CellsOptions): Promise<Report> {
  const name = `cells ${options.store}`;
  if (options.store !== "postgres") return { name, lines: [], violations: [] };
  const findings = createFindings("cells", options);
  const { changes = [], long = false } = options;
  const bundle = await bundleServer({ changes, long });
  const form = formOf(options);
  const databases = await startDatabases(form.databases, form.cells);
  try {
    const lines = await attackServers(options, findings, databases, bundle);
    return { name, lines, violations: findings.violations };
  } finally {
    await databases.stop();
    await bundle.remove();
  }
}
