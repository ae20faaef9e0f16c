import {
  type AlertNotification,
  type AlertStore,
  type Clock,
  type Logger,
  mostAheadMs,
  nextTurn,
} from "@device-gateway/core/store";
import type { AlertChannel, AlertMessage } from "./alert-channel.js";
import { sendInTime } from "./send-in-time.js";

/** Maximum number of notifications in one round, and in one message. */
const mostAtOnce = 100;
/** Messages that one recipient gets in a minute from a process. More of them become a digest. */
const mostPerMinute = 5;
const minuteMs = 60_000;
/** How long a message may take over a channel. Then its delivery counts as failed. */
const sendMs = 5 * minuteMs;
/**
 * How long no other process takes what this one took. A message begins only if enough of this time is left, so that two
 * processes do not send the same message at the same time. If their clocks differ by minutes, they may. In that case
 * the store keeps the record of the process that took the notification last.
 */
const leaseMs = 2 * sendMs;
/** How much of that time is left after the longest message, to store its outcome. */
const settleMs = minuteMs / 2;
/** A delivery that takes longer makes its recipient come last until one is quicker. */
const slowMs = minuteMs;
/** Slow recipients that are remembered. */
const mostSlow = 1_000;
const firstRetryMs = 30_000;
const longestRetryMs = 60 * minuteMs;
/** A notification that could not be delivered for this long is dropped. So its due time is never further ahead. */
const longestAgeMs = 3 * 24 * 60 * minuteMs;

export interface Deliveries {
  /** Delivers what is due, until the signal aborts. Returns how many notifications are done. */
  deliver(signal?: AbortSignal): Promise<number>;
}

export interface DeliveryOptions {
  readonly alerts: AlertStore;
  readonly channels: readonly AlertChannel[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The minute for which a recipient's notifications wait. */
interface Plan {
  /** The earliest minute when the plan was made. */
  readonly earliest: number;
  /** The last minute for which notifications wait, and how many do. */
  readonly at: number;
  readonly count: number;
}

/** The round of a process: until when no other process takes its notifications, and the signal that ends it. */
interface Turn {
  readonly until: number;
  readonly signal: AbortSignal | undefined;
  /** The notifications that were sent or made due again, or were about to be. */
  readonly begun: Set<AlertNotification>;
}

/** Returns the id of a digest: the same for the same notifications. */
async function toDigestId(notifications: readonly AlertNotification[]): Promise<string> {
  const text = notifications.map(({ id }) => id).join();
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
  );
  const hex = [...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0"));
  return `digest-${hex.join("")}`;
}

/**
 * Minutes begin at the same times for all messages, so that a notification that waits for a minute is not due before it
 * begins.
 */
const startOfMinute = (now: number): number => now - (now % minuteMs);

const byRecipient = (all: readonly AlertNotification[]) => {
  const groups = new Map<string | null, AlertNotification[]>();
  for (const one of all) {
    const group = groups.get(one.ownerId);
    if (group === undefined) groups.set(one.ownerId, [one]);
    else group.push(one);
  }
  return groups;
};

/**
 * Creates the delivery of notifications: at least once over each channel, with growing pauses after failures. A
 * recipient gets at most five messages a minute from each process. Further notifications wait for a later minute, and
 * more than five become one digest.
 */
export function createDeliveries({ alerts, channels, clock, logger }: DeliveryOptions): Deliveries {
  /** How many messages each recipient got in the current minute. */
  const sent = new Map<string | null, { readonly since: number; count: number }>();
  const planned = new Map<string | null, Plan>();
  /** Recipients whose last message took long. They come last, so that they do not delay others. */
  const slow = new Set<string | null>();
  /**
   * Notifications that a round took and did not try, because the store failed. The next round makes each of them due
   * again once.
   */
  let untried: AlertNotification[] = [];

  function noteSlowness(ownerId: string | null, isSlow: boolean): void {
    slow.delete(ownerId);
    if (isSlow) slow.add(ownerId);
    const [oldest] = slow;
    if (slow.size > mostSlow && oldest !== undefined) slow.delete(oldest);
  }

  /**
   * Returns when to deliver notifications that have to wait. Each group that fills a digest gets its own minute, so
   * that the store has few due ones to choose from.
   */
  function planMinute(ownerId: string | null, count: number, earliest: number): number {
    const found = planned.get(ownerId);
    // A plan that began later was made while the clock was ahead.
    const isValid = found !== undefined && found.earliest <= earliest;
    const last = isValid ? found : { at: earliest, count: 0 };
    const fits = last.count + count <= mostAtOnce;
    const next = fits
      ? { earliest, at: last.at, count: last.count + count }
      : { earliest, at: last.at + minuteMs, count };
    planned.set(ownerId, next);
    return next.at;
  }

  /** Whether a message may begin. If not, another process or the next round takes the notifications again at once. */
  const mayBegin = ({ until, signal }: Turn) =>
    signal?.aborted !== true && until - clock.now() >= sendMs + settleMs;

  /** Makes notifications due at a time. Drops those that are too old by then, and returns how many. */
  async function wait(
    group: readonly AlertNotification[],
    retryAt: number,
    begun: Turn["begun"],
  ): Promise<number> {
    let dropped = 0;
    for (const one of group) {
      await nextTurn();
      begun.add(one);
      const { id, attempts, delivered, at } = one;
      const isTooOld = retryAt - at > longestAgeMs;
      const settled = { id, attempts, delivered, retryAt: isTooOld ? null : retryAt };
      await alerts.settleNotification(settled);
      if (isTooOld) dropped += 1;
    }
    return dropped;
  }

  async function settle(one: AlertNotification, delivered: readonly string[]): Promise<boolean> {
    // A store in the same process answers without leaving the turn, and a digest has many notifications.
    await nextTurn();
    const now = clock.now();
    const { id, attempts } = one;
    const isDone = channels.every(({ name }) => delivered.includes(name));
    const isTooOld = now - one.at > longestAgeMs;
    const pause = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 12));
    const retryAt = isDone || isTooOld ? null : now + pause;
    await alerts.settleNotification({ id, attempts, delivered, retryAt });
    return retryAt === null;
  }

  /** Sends over one channel what it has not delivered. Returns whether all of the message is delivered over it. */
  async function sendOver(channel: AlertChannel, message: AlertMessage): Promise<boolean> {
    const { name } = channel;
    const missing = message.notifications.filter(({ delivered }) => !delivered.includes(name));
    if (missing.length === 0) return true;
    try {
      await sendInTime(channel, { ...message, notifications: missing }, sendMs);
      return true;
    } catch (error) {
      logger.warn(
        { err: error, channel: name, messageId: message.id },
        "Could not deliver an alert. Trying again later",
      );
      return false;
    }
  }

  async function send(message: AlertMessage, turn: Turn): Promise<number> {
    const { notifications, ownerId } = message;
    const begunAt = clock.now();
    if (!mayBegin(turn)) return wait(notifications, begunAt, turn.begun);
    for (const one of notifications) turn.begun.add(one);
    // All channels at once, so that none waits for another one that hangs.
    const succeeded = await Promise.all(channels.map((channel) => sendOver(channel, message)));
    noteSlowness(ownerId, clock.now() - begunAt >= slowMs);
    let done = 0;
    for (const one of notifications) {
      const delivered = channels
        .map(({ name }) => name)
        .filter((name, n) => succeeded[n] === true || one.delivered.includes(name));
      if (await settle(one, delivered)) done += 1;
    }
    return done;
  }

  async function deliverTo(
    ownerId: string | null,
    group: readonly AlertNotification[],
    turn: Turn,
  ): Promise<number> {
    const now = clock.now();
    if (!mayBegin(turn)) return wait(group, now, turn.begun);
    const before = sent.get(ownerId);
    const minute = before ?? { since: startOfMinute(now), count: 0 };
    sent.set(ownerId, minute);
    if (group.length <= mostPerMinute - minute.count) {
      let done = 0;
      for (const one of group) {
        minute.count += 1;
        done += await send({ id: one.id, ownerId, notifications: [one] }, turn);
      }
      return done;
    }
    if (minute.count === 0) {
      minute.count = mostPerMinute;
      return send({ id: await toDigestId(group), ownerId, notifications: group }, turn);
    }
    const retryAt = planMinute(ownerId, group.length, minute.since + minuteMs);
    return wait(group, retryAt, turn.begun);
  }

  return {
    async deliver(signal) {
      const now = clock.now();
      for (const [ownerId, { since }] of sent) {
        if (since !== startOfMinute(now)) sent.delete(ownerId);
      }
      for (const [ownerId, { at }] of planned) {
        if (now >= at) planned.delete(ownerId);
      }
      const begun = new Set<AlertNotification>();
      for (let one = untried.shift(); one !== undefined; one = untried.shift())
        await wait([one], now, begun);
      const until = now + leaseMs;
      const latest = now + longestAgeMs + mostAheadMs;
      const taken = await alerts.takeNotifications({ now, until, latest, limit: mostAtOnce });
      const groups = [...byRecipient(taken)].sort(
        ([a], [b]) => Number(slow.has(a)) - Number(slow.has(b)),
      );
      let done = 0;
      try {
        for (const [ownerId, group] of groups) {
          done += await deliverTo(ownerId, group, { until, signal, begun });
        }
        return done;
      } catch (error) {
        untried = taken.filter((one) => !begun.has(one));
        throw error;
      }
    },
  };
}
