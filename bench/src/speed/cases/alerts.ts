import { setTimeout as wait } from "node:timers/promises";
import { type AlertLevels, createAlerts } from "@device-gateway/alerts";
import type { AlertRule, GatewayStore } from "@device-gateway/core/store";
import { sampleEvent } from "@device-gateway/testing";
import { createLines, type Section, spread } from "../../measure.js";
import { startIngest } from "../chart-rounds.js";
import { answersOf, type Contender, type SpeedSetup, startGateway } from "../contender.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import { registerTemplate } from "../seed/seed-fleet.js";
import { seedStore } from "../seed/seed-store.js";
import type { SpeedCase, SpeedOptions } from "../speed-case.js";
import { openPlace, type StorePlace } from "../store/store-place.js";
import { missingLoadNotes, pairedNote, timesAsMuch } from "../verdict.js";
import { recordFiles } from "./record-files.js";

const ingestShare = 0.3;
/** A paced round is this many times as long as a round of full load, so that it has several rounds of evaluation. */
const pacedRounds = 20;
const lookMs = 100;
const noRules = "no rules";
const onOthers = "rules on silent devices";
const perSender = "a rule per sender";
const owners = { senders: "senders", others: "others" } as const;

/** A rule that judges each record of its owner's devices, and never fires. */
const toRule = (ownerId: string): AlertRule => ({
  ...{ id: `of-${ownerId}`, revision: 1, ownerId, deviceId: null, targetHardware: null },
  ...{ name: "Low", reminderSeconds: null, mutedUntil: null, createdAt: 0, changedAt: 0 },
  condition: { kind: "below", metric: "voltage", threshold: 0, clearAt: 0, holdSeconds: 0 },
});

const registerOwned = (ownerId: string) => (store: GatewayStore, deviceId: string) =>
  registerTemplate(store, deviceId, {
    ownership: { ownerId, claimedAt: 1, visibleFrom: 0 },
    ownedBefore: true,
  });

/** Creates a store with the senders and as many devices that never send. */
async function seedFleets({ host, fleet }: SpeedSetup, { progress }: SpeedOptions) {
  const senders = fleet.deviceIds.toSorted();
  return seedStore(
    host,
    "alerts",
    [
      { make: registerOwned(owners.senders), deviceIds: senders },
      { make: registerOwned(owners.others), deviceIds: senders.map((id) => `silent-${id}`) },
    ],
    progress,
  );
}

/** Starts a gateway that evaluates alerts, over a copy of the fleets. Every device was judged once before. */
async function startWithRule(
  setup: SpeedSetup,
  from: StorePlace,
  name: string,
  ownerId: string | null,
): Promise<Contender> {
  const place = await setup.host.copyPlace(from, `alerts-${ownerId ?? "none"}`);
  if (ownerId !== null) {
    const store = await openPlace(place);
    await store.alerts.createRule({ rule: toRule(ownerId), most: 9, event: sampleEvent("") });
    const first = createAlerts({ store, gateway: { telemetryInterval: () => 60 } });
    await first.runOnce();
    await first.release();
    await store.close();
  }
  const files = recordFiles(setup);
  return startGateway(setup, { name, mount: "listener", files, place, alerts: true });
}

/** Returns how far the evaluation is behind, in seconds. */
async function readLag({ server }: Contender): Promise<number> {
  const { isActive, lagSeconds } = await server.ask<AlertLevels>("alerts");
  return isActive ? lagSeconds : Number.POSITIVE_INFINITY;
}

/** Waits until all records that were sent so far are judged. Returns the milliseconds. */
async function untilJudged(contender: Contender): Promise<number> {
  const begun = performance.now();
  while ((await readLag(contender)) * 1_000 > performance.now() - begun) await wait(lookMs);
  return performance.now() - begun;
}

interface Paced {
  readonly cpuUs: number;
  /** Records that arrived in a second. */
  readonly perSecond: number;
  /** How far the evaluation was behind, in seconds, in the order of time. */
  readonly lags: readonly number[];
}

/** Sends at an even rate. */
async function sendPaced(contender: Contender, perSecond: number, seconds: number): Promise<Paced> {
  const before = await contender.server.usage();
  const ingest = startIngest(contender, perSecond);
  const lags: number[] = [];
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    await wait(lookMs);
    lags.push(await readLag(contender));
  }
  const { perSecond: arrived } = await ingest.end();
  const after = await contender.server.usage();
  const cpuUs = (after.cpuUs - before.cpuUs) / (answersOf(after) - answersOf(before));
  return { cpuUs, perSecond: arrived, lags };
}

/** Compares a gateway with a rule per sender with one without rules, at an even rate. */
async function measurePaced(
  free: Contender,
  ruled: Contender,
  perSecond: number,
  { repeats, seconds, progress }: SpeedOptions,
): Promise<Section> {
  const { add, all } = createLines();
  const most = (lags: readonly number[]) => Math.max(...lags);
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const contender of repeat % 2 === 0 ? [free, ruled] : [ruled, free]) {
      progress(`paced round ${repeat + 1} of ${repeats}: ${contender.name}`);
      const paced = await sendPaced(contender, perSecond, seconds * pacedRounds);
      add("CPU per record", "µs", contender.name, paced.cpuUs);
      add("ingest", "1/s", contender.name, paced.perSecond, true);
      if (contender !== ruled) continue;
      const { lags } = paced;
      const half = Math.ceil(lags.length / 2);
      add("median lag", "s", perSender, spread(lags).median, true);
      add("largest lag", "s", "first half", most(lags.slice(0, half)), true);
      add("largest lag", "s", "second half", most(lags.slice(half)), true);
      await untilJudged(ruled);
    }
  }
  const lines = all();
  const notes = [
    `${Math.round(perSecond)} records a second, ${ingestShare * 100} % of P1 without rules, for ${seconds * pacedRounds} s in each round.`,
    ...missingLoadNotes(lines, "ingest", perSecond),
    timesAsMuch(lines, "largest lag", "second half", "first half", 1.5),
  ];
  return { title: "Alerts: a rule per sender at an even rate", lines, notes };
}

/** Measures what alert rules cost, and how far their evaluation is behind. */
export const alerts: SpeedCase = {
  title: "Alerts: rules on devices that do not send, at full load",
  async run(seeded, options) {
    const place = await seedFleets(seeded, options);
    const setup = { ...seeded, fleet: { ...seeded.fleet, place } };
    const free = await startWithRule(setup, place, noRules, null);
    const others = await startWithRule(setup, place, onOthers, owners.others);
    // An interval needs more pairs than a median.
    const plan = { ...options, repeats: options.repeats * 2, connections: 64 };
    const lines = await measureLoads([free, others], plan);
    const notes = [
      ...(await others.finish()),
      pairedNote(lines, "CPU of all threads", onOthers, noRules, "goal at most 103.0 %"),
      pairedNote(lines, "requests", onOthers, noRules, "goal at least 97.0 %"),
    ];
    const full: Section = { title: alerts.title, lines, notes };

    const ruled = await startWithRule(setup, place, perSender, owners.senders);
    await measureLoads([ruled], { ...options, repeats: 1, connections: 64 });
    const caughtUpMs = await untilJudged(ruled);
    const [requests] = lines;
    const perSecond = spread(requests?.values.get(noRules) ?? []).median * ingestShare;
    const paced = await measurePaced(free, ruled, perSecond, options);
    const after = `The evaluation caught up ${(caughtUpMs / 1_000).toFixed(1)} s after a full load.`;
    return [
      full,
      { ...paced, notes: [...paced.notes, after, ...(await finishAll([free, ruled]))] },
    ];
  },
};
