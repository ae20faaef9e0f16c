import { setTimeout as wait } from "node:timers/promises";
import { createAlerts } from "@device-gateway/alerts";
import type { GatewayStore } from "@device-gateway/core";
import { startTelemetrySink } from "@device-gateway/telemetry-sink";

/** The clock of alerts runs this many times faster, so that leases and pauses of retries take milliseconds. */
const speed = 200;
/** A killed process may keep the lease of the sink for so long. */
const leaseMs = 100;

/**
 * Evaluates alert rules, notifies a receiver, and copies telemetry to it. `startedAt` is the same for all servers of a
 * storage. Returns a function that stops it.
 */
export function startPassingOn(
  store: GatewayStore,
  { url, startedAt }: { readonly url: string; readonly startedAt: number },
): () => Promise<void> {
  const { followers } = store;
  const take: typeof followers.take = (input) =>
    followers.take({ ...input, until: Math.min(input.until, input.at + leaseMs) });
  const sink = startTelemetrySink(
    { ...store, followers: { ...followers, take } },
    { url: `${url}/write`, metrics: ["level"], pollMs: 20, timeoutMs: 2_000, settleMs: 100 },
  );
  const alerts = createAlerts({
    store,
    gateway: { telemetryInterval: () => 60 },
    clock: { now: () => Math.floor(startedAt + (Date.now() - startedAt) * speed) },
    channels: [
      {
        name: "receiver",
        async send({ notifications }) {
          const body = JSON.stringify(notifications);
          const response = await fetch(`${url}/notices`, { method: "POST", body });
          if (!response.ok) throw new Error(`The receiver answered with ${response.status}.`);
        },
      },
    ],
  });
  let stopping = false;
  const evaluate = async () => {
    while (!stopping) {
      // The store may refuse a call on a busy machine. The next round repeats it.
      await alerts.runOnce().catch(() => {});
      await wait(20);
    }
  };
  const evaluating = evaluate();
  return async () => {
    stopping = true;
    await evaluating;
    await sink.stop();
  };
}
