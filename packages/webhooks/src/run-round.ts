import type { Clock, GatewayStore, Logger } from "@device-gateway/core";
import type {
  SecurityEvent,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from "@device-gateway/core/store";
import { allowsDevice } from "./choose-events.js";
import { type Delivered, deliver } from "./deliver.js";
import type { IdleEndpoints } from "./idle-endpoints.js";
import { followerNameOf, type Lease, LeaseLostError, type LogPlace, takeLease } from "./lease.js";
import {
  eventTimeOf,
  isAboutDeadLetter,
  readEventOf,
  toEventMessage,
  toGapMessage,
} from "./message.js";
import { findClaim, mayStillGet } from "./owner-rule.js";
import { findNextDue, planRound } from "./plan-round.js";
import { postMessage } from "./post-message.js";
import type { PageReader } from "./read-page.js";
import type { RestingEndpoints } from "./resting-endpoints.js";
import type { Seal } from "./seal.js";
import type { SenderProgress } from "./sender-levels.js";
import { senderLimits } from "./sender-limits.js";
import { signMessage } from "./webhook-secret.js";

/** What a sender needs. */
export interface SenderTools {
  readonly store: GatewayStore;
  readonly pages: PageReader;
  readonly idle: IdleEndpoints;
  readonly resting: RestingEndpoints;
  readonly progress: SenderProgress;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly timeoutMs: number;
  readonly allowIntranet: boolean;
  readonly signal: AbortSignal;
  /** Names this process in leases. */
  readonly holder: string;
  /**
   * Reads the change feed. Returns how often it was reset: the store may lack events that were read before.
   * @throws {StoreUnavailableError} if the database of the event log does not answer.
   */
  readonly countResets: () => Promise<number>;
  /** When a failing endpoint was last tried with a new message, by endpoint. */
  readonly triedFreshAt: Map<string, number>;
  /** Returns whether an endpoint was changed or removed since it was read, as far as this process has noticed. */
  readonly isChanged: (endpoint: WebhookEndpoint) => boolean;
}

/** The events of the gateway about an endpoint. */
const toAuditEvent = (
  kind: "webhook.disabled" | "webhook.dead_lettered",
  at: number,
  { id, label }: WebhookEndpoint,
  details: SecurityEvent["details"],
): SecurityEvent => ({
  ...{ kind, at, deviceId: "", actor: "gateway", requestId: null, clientAddress: null },
  details: { endpointId: id, label, ...details },
});

interface Page {
  readonly fresh: readonly WebhookDelivery[];
  /** The place in the log after all messages of `fresh` are recorded. */
  readonly end: number;
  readonly hasMore: boolean;
  /** The deletions in the log up to this id are announced once the first message of `fresh` is recorded. */
  readonly announcedUpTo: number;
}

/** Reads the next messages for an endpoint. */
async function readMessages(
  { pages, clock }: SenderTools,
  endpoint: WebhookEndpoint,
  { after, announcedUpTo }: LogPlace,
): Promise<Page> {
  const { events, prunedUpTo, end, hasMore } = await pages.read(endpoint, after);
  const now = clock.now();
  const messages = events.map((event) => toEventMessage(event, now, endpoint.ownerId));
  if (prunedUpTo <= Math.max(after, announcedUpTo)) {
    return { fresh: messages, end, hasMore, announcedUpTo };
  }
  const fresh = [toGapMessage(after, now), ...messages];
  return { fresh, end, hasMore, announcedUpTo: prunedUpTo };
}

function createSend(tools: SenderTools, endpoint: WebhookEndpoint, lease: Lease) {
  const { seal, clock, timeoutMs, allowIntranet, signal } = tools;
  const { url, secrets } = seal.open(endpoint.id, endpoint.sealed);
  const target = new URL(url);
  // Credentials of the URL become a header, as in every HTTP client.
  return async ({ messageId, body }: WebhookDelivery): Promise<WebhookAttempt> => {
    await lease.keep();
    const at = clock.now();
    const timestamp = Math.floor(at / 1_000);
    const valid = secrets.filter(({ until }) => until === null || at < until);
    const signature = signMessage(
      { messageId, timestamp, body },
      valid.map(({ value }) => value),
    );
    const headers = {
      "content-type": "application/json",
      "user-agent": "device-gateway-webhooks",
      "webhook-id": messageId,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
    };
    const outcome = await postMessage({
      ...{ url: target, headers, body, timeoutMs, allowIntranet, signal },
    });
    return { messageId, at, durationMs: clock.now() - at, ...outcome };
  };
}

/** Whether an endpoint may get a message now. */
async function mayGet(
  { store }: SenderTools,
  { filter, ownerId }: WebhookEndpoint,
  delivery: WebhookDelivery,
): Promise<boolean> {
  const { devices } = store;
  if (delivery.isUnjudged && !(await allowsDevice(devices, filter, readEventOf(delivery)))) {
    return false;
  }
  return mayStillGet((deviceId) => findClaim(store, deviceId), ownerId, delivery);
}

/** Returns a tenth of the time for which an endpoint has failed, and at most `mostMs`. */
const failurePauseMs = (failingSince: number | null, now: number, mostMs: number): number =>
  Math.min(mostMs, Math.max(0, now - (failingSince ?? now)) / 10);

/**
 * Returns when a failing endpoint may be tried with a new message: at most once a minute when it has failed for long.
 * Returns `now` if it may be tried at once.
 */
function findFreshAt(
  { triedFreshAt }: SenderTools,
  { id, failingSince }: WebhookEndpoint,
  now: number,
): number {
  const pauseMs = failurePauseMs(failingSince, now, 60_000);
  const triedAt = triedFreshAt.get(id) ?? 0;
  // A time in the future was written before the clock was set back.
  return triedAt > now ? now : Math.max(now, triedAt + pauseMs);
}

/** Notes until when a failing endpoint has nothing to try. `isAll`: no new message was left in the log. */
function noteRest(
  tools: SenderTools,
  endpoint: WebhookEndpoint,
  left: readonly WebhookDelivery[],
  isAll: boolean,
): void {
  if (endpoint.failingSince === null) return;
  const now = tools.clock.now();
  const restMs = failurePauseMs(endpoint.failingSince, now, senderLimits.restMs);
  const freshAt = isAll ? Number.POSITIVE_INFINITY : findFreshAt(tools, endpoint, now);
  tools.resting.note(endpoint, Math.min(now + restMs, findNextDue(left, now), freshAt));
}

/** Returns since when the endpoint fails, after a round. */
function judge({ failingSince }: WebhookEndpoint, done: Delivered): number | null {
  const [first] = done.attempts;
  return done.successes > 0 || first === undefined
    ? done.successes > 0
      ? null
      : failingSince
    : (failingSince ?? first.at);
}

async function disableIfDead(
  { store, clock, logger }: SenderTools,
  endpoint: WebhookEndpoint,
  done: Delivered,
  failingSince: number | null,
): Promise<void> {
  const now = clock.now();
  const isGone = done.attempts.some(({ status }) => status === 410);
  const isSilent =
    done.attempts.length > 0 &&
    failingSince !== null &&
    now - failingSince >= senderLimits.disableMs;
  if (!isGone && !isSilent) return;
  const reason = isGone
    ? "The receiver answered with 410 Gone"
    : "Every attempt failed for five days";
  const event = toAuditEvent("webhook.disabled", now, endpoint, { reason });
  const { kind } = await store.webhooks.replace({
    endpoint: { ...endpoint, enabled: false, disabledReason: reason },
    expectedRevision: endpoint.revision,
    event,
  });
  // Somebody changed the endpoint meanwhile. The next round judges it as it is now.
  if (kind !== "replaced") return;
  logger.warn(
    { endpointId: endpoint.id, url: endpoint.label },
    `${reason}. The webhook is disabled.`,
  );
}

/**
 * How a round ended: nothing is left to send now, more is left, or more is left although the page had no message for
 * the owner's endpoint.
 */
type RoundEnd = "done" | "more" | "more_after_nothing";

/**
 * Sends what is due to one endpoint, if no other process does. Returns whether more can be sent at once.
 * `resets` is what `countResets` returned before the endpoint was read.
 * @throws {LeaseLostError} if another process took over, or the store failed over. What was not recorded is sent again.
 */
export async function runRound(
  tools: SenderTools,
  endpoint: WebhookEndpoint,
  resets: number,
): Promise<RoundEnd> {
  const { store, clock, random, holder, signal, triedFreshAt, idle, progress } = tools;
  const name = followerNameOf(endpoint);
  const lease = await takeLease(store.followers, clock, { name, holder });
  const { id: endpointId, ownerId } = endpoint;
  if (lease === null) {
    progress.forget(endpointId);
    return "done";
  }
  const place = lease.place ?? { after: endpoint.startAfter, announcedUpTo: 0 };
  const waiting = await store.webhooks.waiting({ endpointId, limit: senderLimits.waiting });
  const isFull = waiting.length >= senderLimits.waiting;
  const page: Page = isFull
    ? { fresh: [], end: place.after, hasMore: false, announcedUpTo: place.announcedUpTo }
    : await readMessages(tools, endpoint, place);
  const now = clock.now();
  const isFailing = endpoint.failingSince !== null;
  const plan = planRound({
    ...{ waiting, fresh: page.fresh, now, isFailing },
    mayTryFresh: findFreshAt(tools, endpoint, now) <= now,
  });
  if (isFailing && plan.queues.some(({ stored }) => stored === 0))
    triedFreshAt.set(endpointId, now);
  const send = createSend(tools, endpoint, lease);
  const maxFailures = isFailing ? 1 : senderLimits.failuresInRound;
  const done = await deliver(plan.queues, {
    ...{ send, random, maxFailures, signal },
    isEnding: () => signal.aborted || tools.isChanged(endpoint),
    now: () => clock.now(),
    mayGet: (delivery) => mayGet(tools, endpoint, delivery),
  });
  const dead = [...plan.surplus, ...done.dead];
  const waits = [...plan.parked, ...done.waiting];
  const isWorth = dead.length + done.attempts.length + done.ended.length + waits.length > 0;
  const failingSince = judge(endpoint, done);
  if (isWorth) {
    await store.webhooks.record({
      endpointId,
      attempts: done.attempts,
      waiting: waits,
      dead,
      arrived: done.ended,
      ...(failingSince !== endpoint.failingSince && { failingSince }),
      // No event about a message about a dead letter: it would become another one, and events would never stop.
      events: dead
        .filter((each) => !isAboutDeadLetter(each))
        .map(({ messageId, queue }) =>
          toAuditEvent("webhook.dead_lettered", clock.now(), endpoint, { messageId, about: queue }),
        ),
      keep: senderLimits.keep,
    });
  }
  const isAll = plan.planned === page.fresh.length;
  const over = new Set([...done.ended, ...dead.map(({ messageId }) => messageId)]);
  const known = new Map([...waiting, ...waits].map((each) => [each.messageId, each]));
  const left = [...known.values()].filter(({ messageId }) => !over.has(messageId));
  progress.note(endpointId, {
    delivered: done.successes,
    failed: done.attempts.length - done.successes,
    deadLetters: dead.length,
    ...{ left, unreadSince: eventTimeOf(page.fresh[plan.planned]) },
  });
  const end = isAll ? page.end : (page.fresh[plan.planned - 1]?.eventId ?? place.after);
  const { announcedUpTo } = plan.planned > 0 ? page : place;
  if (end !== place.after || announcedUpTo !== place.announcedUpTo) {
    // After a failover, the place would skip the new events that took the numbers of lost ones.
    if ((await tools.countResets()) !== resets) throw new LeaseLostError();
    await lease.advance({ after: end, announcedUpTo });
  }
  if (ownerId !== null) {
    const isDone = isAll && !page.hasMore && waits.length + waiting.length === 0;
    idle.noteRound(endpoint, { cursor: end, isDone, resets });
  }
  await disableIfDead(tools, endpoint, done, failingSince);
  if (!page.hasMore) noteRest(tools, { ...endpoint, failingSince }, left, isAll);
  if (signal.aborted || failingSince !== null || !page.hasMore) return "done";
  return ownerId !== null && page.fresh.length === 0 ? "more_after_nothing" : "more";
}
