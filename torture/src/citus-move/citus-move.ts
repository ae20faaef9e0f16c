import { setTimeout as wait } from "node:timers/promises";
import { createGateway, generateSecrets } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { openPostgresStore } from "@device-gateway/store-postgres";
import {
  openCitusServers,
  whyNoCitus,
} from "../../../packages/store-postgres/src/testing/citus-servers.js";
import { createMigratedDatabase } from "../../../packages/store-postgres/src/testing/migrated-database.js";
import {
  askOn,
  listWorkers,
  runOn,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { openDoor } from "../cell-move/servers.js";
import { describeUnfinished, patienceMs, untilTrue } from "../load/bounded-wait.js";
import { compareStored } from "../load/compare-stored.js";
import { type Observed, preparePostLoad } from "../load/post-load.js";

/** The longest time without an acknowledged record while a schema moves, in milliseconds. */
const mostPauseMs = 2_000;
/** The long form moves as many days of telemetry as are kept by default. */
const daysKept = 90;
const dayMs = 86_400_000;
const devices = ["gw-0", "gw-1", "gw-2", "gw-3"] as const;

/** Returns the statement that moves the schema to the worker on which it is not. */
async function toMove(url: string, workers: readonly string[]): Promise<string> {
  const [place] = await askOn<{ port: number }>(
    url,
    "SELECT DISTINCT nodeport AS port FROM citus_shards",
  );
  const other = workers
    .map((worker) => new URL(worker))
    .find(({ port }) => Number(port) !== place?.port);
  if (other === undefined) throw new Error("There is no other worker.");
  return `SELECT citus_schema_move('device_gateway', '${other.hostname}', ${other.port}, 'force_logical')`;
}

async function moveSchema(options: AttackOptions) {
  const findings = createFindings("citus-move", options);
  const servers = await openCitusServers();
  const database = await createMigratedDatabase(servers.url);
  const workers = await listWorkers(servers.url);
  const { url } = database;
  const today = Math.floor(Date.now() / dayMs);
  for (let age = options.long ? daysKept : 0; age > 0; age--) {
    await runOn(url, `SELECT device_gateway.make_telemetry_partition(${today - age})`);
  }
  const store = await openPostgresStore({ url, poolSize: 8 });
  const limits = {
    authPerMinute: 1e6,
    telemetryPerMinute: 1e6,
    telemetryBytesPerMinute: 0,
    unclaimedBytesPerMinute: 0,
  };
  const gateway = await createGateway({
    ...{ store, secrets: generateSecrets(), scryptCost: { logN: 4, r: 8, p: 1 } },
    limits: { ...limits, metricsPerMinute: 1e8, loginsPerMinute: 1e6 },
  });
  const listener = toNodeListener(gateway);
  const door = await openDoor(() => listener);
  let [taken, unavailable, lastAt, longestMs] = [0, 0, performance.now(), 0];
  const wrong = new Map<string, number>();
  const observe = ({ status, retryAfter, fault }: Observed) => {
    const now = performance.now();
    if (status === 200) {
      taken += 1;
      longestMs = Math.max(longestMs, now - lastAt);
      lastAt = now;
    } else if (status === 503 && retryAfter !== undefined) unavailable += 1;
    else wrong.set(String(status ?? fault), (wrong.get(String(status ?? fault)) ?? 0) + 1);
  };
  const pauses: number[] = [];
  const durations: number[] = [];
  try {
    const { seed } = options;
    const load = await preparePostLoad({ url: door.url, seed, devices, connections: 2, observe });
    load.begin();
    const rounds = await runRounds(options, { short: 1, long: 6 }, async (round) => {
      await wait(2_000);
      longestMs = 0;
      const startedAt = performance.now();
      await runOn(url, await toMove(url, workers));
      durations.push(performance.now() - startedAt);
      const before = taken;
      if (!(await untilTrue(() => taken >= before + 20)))
        findings.add(`after the move, too few 200 within ${patienceMs} ms`, round);
      pauses.push(longestMs);
      options.print?.(
        `citus-move: moved in ${Math.round(durations.at(-1) ?? 0)} ms, longest pause ${Math.round(longestMs)} ms`,
      );
      if (longestMs > mostPauseMs) findings.add(`a pause of ${Math.round(longestMs)} ms`, round);
    });
    const unfinished = describeUnfinished([await load.stop()]);
    if (unfinished !== undefined) findings.add(unfinished);
    const { acknowledged, lost, twice } = await compareStored(store, load.acknowledged);
    if (lost > 0) findings.add(`${lost} acknowledged readings are lost`);
    if (twice > 0) findings.add(`${twice} readings are stored twice`);
    for (const [what, count] of wrong) findings.add(`${count} × ${what}`);
    return {
      name: "citus-move postgres",
      lines: [
        {
          what: `a schema moved to another worker of Citus under load, in ≤ ${Math.round(Math.max(...durations))} ms: ${taken} × 200, ${unavailable} × 503`,
          rounds,
          result: `pause ≤ ${Math.round(Math.max(...pauses))} ms`,
          bar: `≤ ${mostPauseMs} ms`,
        },
        {
          what: `${acknowledged} acknowledged readings`,
          rounds,
          result: `${lost} lost, ${twice} twice`,
          bar: "0 lost, 0 twice",
        },
      ],
      violations: findings.violations,
    };
  } finally {
    door.close();
    await store.close();
    await database.remove();
    await servers.stop();
  }
}

/** Moves the schema to another worker of Citus under load. Nothing may be lost, and the pause must be short. */
export const citusMove = async (options: AttackOptions): ReturnType<Attack> => {
  const name = `citus-move ${options.store}`;
  if (options.store !== "postgres") return { name, lines: [], violations: [] };
  if (whyNoCitus === undefined) return moveSchema(options);
  const what = `left out: ${whyNoCitus}`;
  return { name, lines: [{ what, rounds: 0, result: "–", bar: "–" }], violations: [] };
};
