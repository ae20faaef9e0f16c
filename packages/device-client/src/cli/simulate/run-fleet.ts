import { setMaxListeners } from "node:events";
import { systemSleep } from "../../system.js";
import type { CliContext } from "../command.js";
import { renderTable } from "../table.js";
import type { FleetStats } from "./fleet-stats.js";
import { registerFleet } from "./register-fleet.js";
import type { FleetPlan } from "./simulate-options.js";
import { describeProgress, summarize } from "./summary.js";
import type { VirtualGateway } from "./virtual-gateway.js";

interface RunOptions {
  readonly intervalMs: number;
  readonly delayMs: number;
  readonly until: () => number;
  /** Ends the run before the next reading. */
  readonly signal: AbortSignal;
}

/** Runs one gateway. It starts after a delay, so that the fleet does not send at the same moment. */
async function runGateway(
  gateway: VirtualGateway,
  { intervalMs, delayMs, until, signal }: RunOptions,
): Promise<void> {
  await systemSleep(Math.min(delayMs, Math.max(0, until())), signal);
  while (!signal.aborted) {
    const startedAt = performance.now();
    await gateway.tick();
    const restMs = intervalMs - (performance.now() - startedAt);
    if (until() <= restMs) return;
    await systemSleep(Math.max(0, restMs), signal);
  }
}

/** Waits for all tasks, also if one fails. Rejects with the first error. */
async function settleAll<Value>(tasks: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}

/**
 * Registers the fleet, runs it for the planned time, and sends the rest of its readings. If that fails, it rejects when no
 * gateway sends anything any more.
 */
export async function runFleet(
  context: Pick<CliContext, "now" | "print" | "log" | "show">,
  fleet: readonly VirtualGateway[],
  { devices, intervalMs, durationMs }: Pick<FleetPlan, "devices" | "intervalMs" | "durationMs">,
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
  const stop = new AbortController();
  // Every gateway listens to the signal. Above 10 listeners, Node warns of a leak.
  setMaxListeners(0, stop.signal);
  const until = () => endsAt - now();
  try {
    await registerFleet(fleet, {
      now,
      onRegistered(gateway) {
        const delayMs = gateway.phase * intervalMs;
        runs.push(runGateway(gateway, { intervalMs, delayMs, until, signal: stop.signal }));
      },
    });
    stats.registrationSeconds = (now() - startedAt) / 1000;
    endsAt = now() + durationMs;
    await Promise.all(runs);
    const left = await settleAll(fleet.map((gateway) => gateway.finish()));
    stats.waiting = left.reduce((sum, waiting) => sum + waiting, 0);
  } finally {
    stop.abort();
    await Promise.allSettled(runs);
    clearInterval(ticker);
    context.show?.("");
  }
  const ids = fleet.map(({ deviceId }) => deviceId);
  context.print(renderTable(summarize(stats, { ...progress(), ids })));
}
