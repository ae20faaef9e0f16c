import { mostAheadMs, type WebhookDelivery } from "@device-gateway/core/store";
import { senderLimits } from "./sender-limits.js";

/** Messages of one device, in order. Those from `stored` on are new. */
export interface Queue {
  readonly deliveries: readonly WebhookDelivery[];
  /** How many of them are already stored. */
  readonly stored: number;
}

export interface RoundPlan {
  /** What to try. Queues are independent of each other. */
  readonly queues: readonly Queue[];
  /** New messages that wait for an earlier one of their device. */
  readonly parked: readonly WebhookDelivery[];
  /** Messages that are given up, because too many others wait for them. */
  readonly surplus: readonly WebhookDelivery[];
  /** How many of the new messages are in the plan. */
  readonly planned: number;
}

interface Input {
  /** In the order of their events. */
  readonly waiting: readonly WebhookDelivery[];
  /** In the order of their events. */
  readonly fresh: readonly WebhookDelivery[];
  readonly now: number;
  /** Whether all recent attempts failed. Then one message at a time is tried. */
  readonly isFailing: boolean;
  /** Whether a failing endpoint may be tried with a new message. */
  readonly mayTryFresh: boolean;
}

function groupByQueue(deliveries: readonly WebhookDelivery[]) {
  const groups = new Map<string, WebhookDelivery[]>();
  for (const delivery of deliveries) {
    const group = groups.get(delivery.queue);
    if (group === undefined) groups.set(delivery.queue, [delivery]);
    else group.push(delivery);
  }
  return groups;
}

const dueAtOf = ([head]: readonly WebhookDelivery[]) => head?.dueAt ?? 0;

/** Whether a message is due. A later time than any pause allows was written by a clock that was ahead. */
const isDue = (dueAt: number, now: number) =>
  dueAt <= now || dueAt > now + senderLimits.longestRetryMs + mostAheadMs;

/** Returns the queues whose first message is due. */
function chooseDue(
  held: ReadonlyMap<string, readonly WebhookDelivery[]>,
  { now, isFailing }: Input,
): ReadonlyMap<string, readonly WebhookDelivery[]> {
  const due = [...held].filter(([, queue]) => isDue(dueAtOf(queue), now));
  due.sort(([, a], [, b]) => dueAtOf(a) - dueAtOf(b));
  return new Map(isFailing ? due.slice(0, 1) : due);
}

/**
 * Returns when the first of some waiting messages is due, `now` if one is due already, or infinity without messages. They
 * are in the order of their events.
 */
export function findNextDue(waiting: readonly WebhookDelivery[], now: number): number {
  const heads = [...groupByQueue(waiting).values()].map(dueAtOf);
  return Math.min(...heads.map((dueAt) => (isDue(dueAt, now) ? now : dueAt)));
}

/** Decides which messages a round tries, and which wait for an earlier one of their device. */
export function planRound(input: Input): RoundPlan {
  const held = groupByQueue(input.waiting);
  const due = chooseDue(held, input);
  const tried = new Map([...due].map(([name, stored]) => [name, [...stored]]));
  const parked: WebhookDelivery[] = [];
  let planned = 0;
  let free = input.isFailing ? (input.mayTryFresh && due.size === 0 ? 1 : 0) : Infinity;
  for (const delivery of input.fresh) {
    const { queue } = delivery;
    if (tried.has(queue)) tried.get(queue)?.push(delivery);
    else if (held.has(queue)) parked.push(delivery);
    else if (free > 0) {
      free -= 1;
      tried.set(queue, [delivery]);
    } else break;
    planned += 1;
  }
  const surplus = [...groupByQueue(parked)].flatMap(([queue, more]) => {
    const stored = held.get(queue) ?? [];
    const count = Math.max(0, stored.length + more.length - senderLimits.waitingOfQueue);
    return stored.slice(0, count);
  });
  const queues = [...tried].map(([name, deliveries]) => ({
    deliveries,
    stored: due.get(name)?.length ?? 0,
  }));
  return { queues, parked, surplus, planned };
}
