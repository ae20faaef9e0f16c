import {
  type Clock,
  type Device,
  type GatewayStore,
  type Logger,
  silentLogger,
  systemClock,
} from "@device-gateway/core";
import { fleetSilenceSubject } from "@device-gateway/core/store";
import type { AlertChannel } from "./delivery/alert-channel.js";
import { createDeliveries } from "./delivery/deliver-notifications.js";
import { createEvaluator, type Round } from "./evaluator.js";
import { repeat } from "./repeat.js";

/** How often rules are evaluated and notifications delivered, in milliseconds. */
const roundMs = 1_000;
/** Looking for devices takes at most a sixtieth of the time, unless the pause would look like an outage. */
const restFactor = 60;
/** Duration of the evaluator's lease, in milliseconds. */
const leaseMs = 30_000;
/** The name of the evaluator's lease. */
const leaseName = "alerts";

export interface AlertOptions {
  /** The store of the gateway. */
  readonly store: GatewayStore;
  /** The gateway, which knows how often each device sends. */
  readonly gateway: { telemetryInterval(device: Device): number };
  /** Where notifications go. Default: nowhere. The event log has every alert in any case. */
  readonly channels?: readonly AlertChannel[];
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /**
   * If more than this share of the watched devices, and at least 10, are silent, one alert for the operators replaces the
   * alerts about single devices. 0 to 1, default 0.3.
   */
  readonly fleetSilenceShare?: number;
  /** How long an alert about silence waits, so that the silent devices are counted first. Seconds, default 120. */
  readonly settleSeconds?: number;
  /** If nothing was evaluated for this long, silence counts from the next evaluation on. Seconds, default 120. */
  readonly outageSeconds?: number;
  /**
   * Whether to write `device.online` and `device.offline` to the event log, for every device, with or without rules. Default:
   * false.
   */
  readonly presence?: boolean;
}

/** What a process has done for alerts since its start, for metrics. */
export interface AlertLevels {
  /** Whether this process is the one that evaluates. */
  readonly isActive: boolean;
  /** Time since the start of the last complete round, in seconds. 0 if another process evaluates or there are no rules. */
  readonly lagSeconds: number;
  /** Devices that were judged. */
  readonly judged: number;
}

/** Evaluates alert rules and delivers notifications. */
export interface Alerts {
  /** If nothing was evaluated for this long, silence counts from the next evaluation on. Milliseconds. */
  readonly outageMs: number;
  readLevels(): AlertLevels;
  /** Evaluates all rules once. */
  evaluate(signal?: AbortSignal): Promise<Round>;
  /** Delivers the notifications that are due, until the signal aborts. Returns how many are done. */
  deliver(signal?: AbortSignal): Promise<number>;
  /** Evaluates all rules once and then delivers what is due. Tests and schedulers of your own call it. */
  runOnce(signal?: AbortSignal): Promise<Round>;
  /** Lets another process evaluate at once. Without it, another one continues within half a minute. */
  release(): Promise<void>;
}

/** The alerts of a process, which run until they are stopped. */
export interface RunningAlerts {
  readLevels(): AlertLevels;
  /** Waits for the current round and the current message to end. */
  stop(): Promise<void>;
}

const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
};

function checkShare(share: number): void {
  if (share >= 0 && share <= 1) return;
  throw new TypeError("createAlerts: fleetSilenceShare must be between 0 and 1.");
}

/**
 * Creates the evaluation of alert rules and the delivery of their notifications.
 * @throws {TypeError} if an option is invalid, or two channels have the same name.
 * @example
 * ```ts
 * const alerts = createAlerts({ gateway, store, channels: [push] });
 * const running = startAlerts(alerts, { logger });
 * process.once("SIGTERM", () => running.stop());
 * ```
 */
export function createAlerts(options: AlertOptions): Alerts {
  const { store, gateway, channels = [], logger = silentLogger, clock = systemClock } = options;
  const { fleetSilenceShare = 0.3, settleSeconds = 120, outageSeconds = 120 } = options;
  const { presence = false } = options;
  const outageMs = outageSeconds * 1_000;
  checkShare(fleetSilenceShare);
  if (new Set(channels.map(({ name }) => name)).size < channels.length) {
    throw new TypeError("createAlerts: two channels have the same name. Give each its own.");
  }
  const evaluator = createEvaluator({
    ...{ store, clock, logger, newId, presence, fleetShare: fleetSilenceShare },
    intervalOf: (device) => gateway.telemetryInterval(device),
    settleMs: settleSeconds * 1_000,
    outageMs,
  });
  const deliveries = createDeliveries({ alerts: store.alerts, channels, clock, logger });
  const holder = newId();
  let leasedUntil = 0;
  let judged = 0;
  /** The start of the last complete round, or of the first one. Null if this process does not evaluate. */
  let roundAt: number | null = null;

  async function evaluateAlone(signal: AbortSignal | undefined): Promise<Round> {
    const startedAt = clock.now();
    roundAt ??= startedAt;
    const round = await evaluator.evaluate(signal);
    judged += round.judged;
    roundAt = startedAt;
    return round;
  }

  /** Returns whether this process evaluates. It is for speed only: a process whose lease has expired judges nothing twice. */
  async function takeLease(): Promise<boolean> {
    const at = clock.now();
    const left = leasedUntil - at;
    // If the clock was set back, more time seems to be left than a lease lasts. Another process may have taken it.
    if (left > leaseMs / 2 && left <= leaseMs) return true;
    const until = at + leaseMs;
    const lease = await store.followers.take({ name: leaseName, holder, at, until });
    leasedUntil = lease === null ? 0 : until;
    return lease !== null;
  }

  /** Whether there is anything to evaluate. The alert about the fleet clears after the last rule was deleted. */
  async function hasWork(): Promise<boolean> {
    if (presence || (await store.alerts.ruleScope()).any) return true;
    return (await store.alerts.firing([fleetSilenceSubject])).length > 0;
  }

  async function evaluate(signal?: AbortSignal): Promise<Round> {
    const isActive = (await hasWork()) && (await takeLease());
    if (!isActive) roundAt = null;
    return isActive ? evaluateAlone(signal) : { judged: 0, lookedMs: 0 };
  }

  return {
    ...{ outageMs, evaluate, deliver: deliveries.deliver },
    readLevels: () => ({
      isActive: roundAt !== null,
      lagSeconds: roundAt === null ? 0 : Math.max(0, clock.now() - roundAt) / 1_000,
      judged,
    }),
    async runOnce(signal) {
      try {
        return await evaluate(signal);
      } finally {
        await deliveries.deliver(signal);
      }
    },
    async release() {
      if (leasedUntil === 0) return;
      leasedUntil = 0;
      await store.followers.release({ name: leaseName, holder });
    },
  };
}

/**
 * Runs alerts until they are stopped. A failed round is logged and repeated. Deliveries have rounds of their own, so that a
 * slow channel delays no alert.
 *
 * @example
 * const running = startAlerts(createAlerts({ gateway, store, channels: [push] }), { logger });
 * process.once("SIGTERM", () => running.stop());
 */
export function startAlerts(
  alerts: Alerts,
  { logger = silentLogger }: { readonly logger?: Logger } = {},
): RunningAlerts {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function evaluate(): Promise<number> {
    try {
      const { lookedMs } = await alerts.evaluate(signal);
      return Math.max(roundMs, Math.min(alerts.outageMs / 2, restFactor * lookedMs));
    } catch (error) {
      logger.error({ err: error }, "Alerts could not be evaluated. Trying again");
      return roundMs;
    }
  }

  async function deliver(): Promise<number> {
    try {
      await alerts.deliver(signal);
    } catch (error) {
      logger.error({ err: error }, "Alerts could not be delivered. Trying again");
    }
    return roundMs;
  }

  async function giveUpLease(): Promise<void> {
    await alerts.release().catch((error: unknown) => {
      logger.warn(
        { err: error },
        "Could not give up the lease. Another process evaluates alerts within half a minute",
      );
    });
  }

  const evaluating = repeat(evaluate, signal).then(giveUpLease);
  const delivering = repeat(deliver, signal);
  return {
    readLevels: alerts.readLevels,
    async stop() {
      stopping.abort();
      await Promise.all([evaluating, delivering]);
    },
  };
}
