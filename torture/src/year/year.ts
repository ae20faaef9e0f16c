import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { createIssuer, customer } from "../issuer.js";
import { createStorage } from "../storage.js";
import { need, needText, openWorld, type World } from "../world.js";
import { chartsOf, compareChart, compareCsv, compareNdjson } from "./compare.js";
import type { SentRecord } from "./plain.js";
import { createHistoryReader } from "./reader.js";
import { sendAll } from "./sender.js";

const dayMs = 86_400_000;
const deviceId = "gw-1";
const device = { deviceId, hardwareId: "esp32:devkit-v1", firmwareVersion: "0.1.10" };
const claimCode = "YEAR-2025";

/** Retention longer than a year, and no throttles or deadlines, which other tests check. */
const limits = {
  telemetryRetentionDays: 800,
  rollUpRetentionDays: 800,
  tokenTtlSeconds: 604_800,
  metricsPerMinute: 100_000_000,
  telemetryBytesPerMinute: 0,
  unclaimedBytesPerMinute: 0,
  telemetryPerMinute: 1_000_000,
  telemetryBodyBytes: 16_777_216,
  dashboardPerMinute: 1_000_000,
  answerTimeoutSeconds: 300,
};

interface Tally {
  records: number;
  duplicates: number;
  charts: number;
  exported: number;
}

async function checkAll(world: World, kept: readonly SentRecord[], start: number, tally: Tally) {
  // The owner needs a new token, because the clock is a year later.
  const token = await createIssuer(world.clock).tokenOf(customer("owner"));
  const reader = createHistoryReader(world, token, deviceId);
  const end = world.clock.now();
  const found: string[] = [];
  const note = (what: string | undefined) => what !== undefined && found.push(what);
  for (const chart of chartsOf(start, end)) {
    note(await compareChart(reader, kept, chart));
    tally.charts += 1;
  }
  return { found, note, reader, end };
}

async function sendYear(
  world: World,
  options: AttackOptions,
  round: number,
  tally: Tally,
): Promise<string[]> {
  const dice = createDice(seedOfRound(options.seed, round));
  const send = async (path: string, body: object, token?: string) =>
    need(await world.send({ method: "POST", path, body, token }), 200, 201);
  const registered = await send("/device/register", { ...device, claimCode });
  const deviceSecret = needText(registered, "deviceSecret");
  let token = needText(registered, "token");
  const owner = await world.issuer.tokenOf(customer("owner"));
  await send("/user/devices/claim", { deviceId, claimCode }, owner);

  const start = world.clock.now();
  const year = options.long
    ? { days: 365, intervalMs: 60_000, perRequest: 120 }
    : { days: 14, intervalMs: 600_000, perRequest: 48 };
  const kept: SentRecord[] = [];
  const found: string[] = [];
  let lastDay = 0;
  for (const batch of sendAll(dice, { start, ...year })) {
    world.clock.advance(batch.now - world.clock.now());
    const day = Math.floor((batch.now - start) / dayMs);
    if (day > lastDay) {
      lastDay = day;
      options.progress?.(day, year.days);
      token = needText(await send("/device/login", { deviceId, deviceSecret }), "token");
      await world.gateways[0]?.maintain();
    }
    const { body } = await send("/telemetry", { records: batch.records }, token);
    const answer = JSON.parse(body) as { accepted: number; duplicates: number };
    const { accepted, duplicates } = answer;
    if (accepted !== batch.kept.length || duplicates !== batch.duplicates) {
      found.push(`${body} instead of ${batch.kept.length} and ${batch.duplicates} duplicates`);
    }
    kept.push(...batch.kept);
    tally.records += accepted;
    tally.duplicates += duplicates;
  }
  // The roll-ups do not yet contain the last hours and the latest late records.
  const before = await checkAll(world, kept, start, tally);
  await world.gateways[0]?.maintain();
  const { reader, note, end, ...after } = await checkAll(world, kept, start, tally);
  const range = { from: start, to: end };
  note(await compareNdjson(reader, kept, range));
  note(await compareCsv(reader, kept, range));
  tally.exported += 2 * kept.length;
  return [...found, ...before.found, ...after.found];
}

/**
 * Sends a year of one device's records through the real ingest, including late and repeated ones. Then
 * compares its charts and exports with a plain computation over the sent records.
 */
export const year: Attack = async (options) => {
  const findings = createFindings("year", options);
  const tally: Tally = { records: 0, duplicates: 0, charts: 0, exported: 0 };
  await runRounds(options, { short: 1, long: 1 }, async (round) => {
    const { store, seed, plants } = options;
    const storage = await createStorage(store);
    const world = await openWorld({ storage, seed, plants, options: { limits } });
    for (const what of await sendYear(world, options, round, tally)) findings.add(what, round);
    await world.close();
    await storage.remove();
  });
  const { violations } = findings;
  const result = `${violations.length} differences`;
  const bar = "none";
  return {
    name: `year ${options.store}`,
    lines: [
      { what: "records kept", rounds: tally.records, result: "charted and exported", bar: "all" },
      { what: "duplicates", rounds: tally.duplicates, result: "reported", bar: "all" },
      { what: "charts", rounds: tally.charts, result, bar },
      { what: "records exported", rounds: tally.exported, result, bar },
    ],
    violations,
  };
};
