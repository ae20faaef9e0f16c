import {
  StoreUnavailableError,
  type WebhookAttempt,
  type WebhookDelivery,
} from "@device-gateway/core/store";
import { isTestMessage } from "./message.js";
import type { Queue } from "./plan-round.js";
import { retryAfterMs, senderLimits } from "./sender-limits.js";

/** The results of the messages of a round. */
export interface Delivered {
  readonly attempts: WebhookAttempt[];
  readonly waiting: WebhookDelivery[];
  readonly dead: WebhookDelivery[];
  /** Ids of the messages that are finished: they arrived, or must not be sent any more. */
  readonly ended: string[];
  /** How many attempts succeeded. */
  successes: number;
}

export interface DeliverTools {
  /**
   * Whether the endpoint may still get a message. Asked directly before each attempt. If it rejects with
   * `StoreUnavailableError`, the message waits.
   */
  readonly mayGet: (delivery: WebhookDelivery) => Promise<boolean>;
  /** Makes one attempt. Never rejects for a reason of the receiver. */
  readonly send: (delivery: WebhookDelivery) => Promise<WebhookAttempt>;
  readonly now: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** The round stops after this many failures without a success. */
  readonly maxFailures: number;
  /** Whether the round must start no further attempt. The remaining messages wait. */
  readonly isEnding: () => boolean;
  /** Aborts the attempts that run. */
  readonly signal: AbortSignal;
}

/** Returns whether a message may be sent. Null: the database of its device does not answer. */
async function judge(tools: DeliverTools, delivery: WebhookDelivery): Promise<boolean | null> {
  try {
    return await tools.mayGet(delivery);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null;
    throw error;
  }
}

/** Tries the messages of a queue in order. After a failure, the remaining ones wait. */
async function deliverQueue(
  { deliveries, stored }: Queue,
  tools: DeliverTools,
  done: Delivered,
): Promise<void> {
  for (const [n, delivery] of deliveries.entries()) {
    const failures = done.attempts.length - done.successes;
    const isOver = done.successes === 0 && failures >= tools.maxFailures;
    if (tools.isEnding() || isOver) {
      done.waiting.push(...deliveries.slice(Math.max(n, stored)));
      return;
    }
    const verdict = await judge(tools, delivery);
    if (verdict === null) {
      // Not due for a while: a failing endpoint tries only the message that is due first.
      const dueAt = tools.now() + senderLimits.unreadableMs;
      const others = deliveries.slice(Math.max(n + 1, stored));
      done.waiting.push({ ...delivery, dueAt }, ...others);
      return;
    }
    if (!verdict) {
      done.ended.push(delivery.messageId);
      continue;
    }
    const attempt = await tools.send(delivery);
    if (attempt.error !== null && tools.signal.aborted) {
      // This process ended the attempt, so it says nothing about the receiver.
      done.waiting.push(...deliveries.slice(Math.max(n, stored)));
      return;
    }
    done.attempts.push(attempt);
    if (attempt.error === null) {
      done.successes += 1;
      done.ended.push(delivery.messageId);
      continue;
    }
    const now = tools.now();
    const attempts = delivery.attempts + 1;
    const dueAt = now + retryAfterMs(attempts, tools.random());
    const { isUnjudged: _, ...judged } = delivery;
    const tried = { ...judged, attempts, dueAt };
    if (isTestMessage(delivery)) done.ended.push(delivery.messageId);
    else if (now - delivery.since >= senderLimits.giveUpMs) done.dead.push(tried);
    else done.waiting.push(tried);
    done.waiting.push(...deliveries.slice(Math.max(n + 1, stored)));
    return;
  }
}

/** Tries all queues, some at once. Ends when nothing is being sent any more, also if it rejects. */
export async function deliver(queues: readonly Queue[], tools: DeliverTools): Promise<Delivered> {
  const done: Delivered = { attempts: [], waiting: [], dead: [], ended: [], successes: 0 };
  const left = [...queues];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await deliverQueue(next, tools, done).catch((error: unknown) => {
        // Nothing of this round can be recorded, so nothing more is sent.
        left.length = 0;
        throw error;
      });
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: senderLimits.parallel }, work));
  for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
  return done;
}
