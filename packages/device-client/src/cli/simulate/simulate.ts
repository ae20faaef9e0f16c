import { setTimeout as wait } from "node:timers/promises";
import { systemRandom } from "../../system.js";
import { type CliContext, CliError, defineCommand, type Values } from "../command.js";
import { readServerUrl } from "../server-url.js";
import { renderTable } from "../table.js";
import { createFleetOperator, eraseGateways } from "./erase-gateways.js";
import { createFleetStats, type FleetStats, findProblems } from "./fleet-stats.js";
import { makeClaimCode } from "./make-claim-code.js";
import { readPinnedKey } from "./read-pinned-key.js";
import { registerFleet } from "./register-fleet.js";
import { createSeededNumbers } from "./seeded-numbers.js";
import {
  type FleetPlan,
  readFleetPlan,
  simulateNotes,
  simulateOptions,
} from "./simulate-options.js";
import { describeProgress, summarize } from "./summary.js";
import { createUpdatePermits } from "./virtual-firmware.js";
import { createVirtualGateway, type VirtualGateway } from "./virtual-gateway.js";

type SimulateValues = Values<typeof simulateOptions>;

/** Maximum number of images in memory. Other gateways update at a later reading. */
const maxConcurrentUpdates = 50;

/** Runs one gateway. It starts after a delay, so that the fleet does not send at the same moment. */
async function runGateway(
  gateway: VirtualGateway,
  { intervalMs, delayMs, until }: { intervalMs: number; delayMs: number; until: () => number },
): Promise<void> {
  await wait(Math.min(delayMs, Math.max(0, until())));
  for (;;) {
    const startedAt = performance.now();
    await gateway.tick();
    const restMs = intervalMs - (performance.now() - startedAt);
    if (until() <= restMs) return;
    await wait(Math.max(0, restMs));
  }
}

async function createFleet(
  { now, fetch }: CliContext,
  values: SimulateValues,
  { profile, devices, seed, firmware }: FleetPlan,
  stats: FleetStats,
): Promise<readonly VirtualGateway[]> {
  const basePath = values["base-path"];
  const baseUrl = readServerUrl(values.url, basePath);
  const key = values.key === undefined ? null : await readPinnedKey(values.key);
  const permits = createUpdatePermits(maxConcurrentUpdates);
  const run = Date.now().toString(36);
  return Array.from({ length: devices }, (_, index) =>
    createVirtualGateway({
      deviceId: `${values.prefix}-${run}-${index + 1}`,
      claimCode: values["claim-code"] ?? makeClaimCode(systemRandom),
      targetHardware: values.target,
      random: createSeededNumbers(seed * 1_000_003 + index),
      ...{ baseUrl, basePath, fetch, firmware, profile, now, stats, key, permits },
    }),
  );
}

/** Registers the fleet, runs it for the planned time, and sends the rest of its readings. */
async function runFleet(
  context: CliContext,
  fleet: readonly VirtualGateway[],
  { devices, intervalMs, durationMs }: FleetPlan,
  stats: FleetStats,
): Promise<void> {
  const { now } = context;
  const startedAt = now();
  let endsAt = Number.POSITIVE_INFINITY;
  const progress = () => ({
    seconds: (now() - startedAt) / 1000,
    endsAtSeconds: Number.isFinite(endsAt) ? (endsAt - startedAt) / 1000 : null,
    devices,
  });
  let seconds = 0;
  const ticker = setInterval(() => {
    const line = describeProgress(stats, progress());
    if (context.show !== null) context.show(line);
    else if (++seconds % 10 === 0) context.log(line);
  }, 1_000);
  const runs: Promise<void>[] = [];
  const until = () => endsAt - now();
  try {
    await registerFleet(fleet, {
      now,
      onRegistered(gateway) {
        const delayMs = gateway.phase * intervalMs;
        runs.push(runGateway(gateway, { intervalMs, delayMs, until }));
      },
    });
    stats.registrationSeconds = (now() - startedAt) / 1000;
    endsAt = now() + durationMs;
    await Promise.all(runs);
    const left = await Promise.all(fleet.map((gateway) => gateway.finish()));
    stats.waiting = left.reduce((sum, waiting) => sum + waiting, 0);
  } finally {
    endsAt = Math.min(endsAt, now());
    clearInterval(ticker);
    context.show?.("");
  }
  const ids = fleet.map(({ deviceId }) => deviceId);
  context.print(renderTable(summarize(stats, { ...progress(), ids })));
}

/** Returns a sentence if a gateway does not run the expected version. */
function findOtherVersions(
  fleet: readonly VirtualGateway[],
  expected: string | null,
): readonly string[] {
  const others = fleet.filter(({ firmware }) => expected !== null && firmware !== expected);
  if (others.length === 0) return [];
  const versions = [...new Set(others.map(({ firmware }) => firmware))].join(", ");
  return [
    `${others.length} of ${fleet.length} gateways do not run ${expected}. They run ${versions}.`,
  ];
}

/** `device-gateway simulate`: runs a fleet over real HTTP, of which every reading must arrive. */
export const simulate = defineCommand({
  name: "simulate",
  summary: "Runs a fleet of virtual gateways against a server and checks that no reading is lost.",
  operands: [],
  options: simulateOptions,
  notes: simulateNotes,
  async run(context, { values }) {
    const plan = readFleetPlan(values);
    const stats = createFleetStats();
    const fleet = await createFleet(context, values, plan, stats);
    try {
      await runFleet(context, fleet, plan, stats);
    } finally {
      if (values["clean-up"]) {
        const operator = createFleetOperator(context, { ...values, token: values.token as string });
        const ids = fleet.map(({ deviceId }) => deviceId);
        await eraseGateways(context, operator, ids);
      }
    }
    const problems = [...findProblems(stats), ...findOtherVersions(fleet, plan.expectedVersion)];
    if (problems.length > 0) throw new CliError(problems.join("\n"));
    context.print("Every reading arrived exactly once.");
  },
});
