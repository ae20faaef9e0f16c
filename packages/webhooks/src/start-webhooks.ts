import { randomUUID } from "node:crypto";
import {
  type Clock,
  type GatewaySecrets,
  type GatewayStore,
  type Logger,
  silentLogger,
  systemClock,
} from "@device-gateway/core";
import {
  type ChangesOutcome,
  StoreUnavailableError,
  type WebhookEndpoint,
} from "@device-gateway/core/store";
import { createIdleEndpoints } from "./idle-endpoints.js";
import { followerNameOf, LeaseLostError } from "./lease.js";
import { createPageReader } from "./read-page.js";
import { createRestingEndpoints } from "./resting-endpoints.js";
import { runRound, type SenderTools } from "./run-round.js";
import { createSeal } from "./seal.js";
import { createSenderProgress, type SenderLevels } from "./sender-levels.js";
import { senderLimits } from "./sender-limits.js";

export interface WebhookOptions {
  /** The gateway's secrets. The URLs and secrets of endpoints are encrypted under a key that is derived from the pepper. */
  readonly secrets: Pick<GatewaySecrets, "pepper">;
  /**
   * Whether endpoints may have `http` URLs and private, link-local or loopback addresses, as in an intranet or a test.
   * Anybody who may create endpoints can then reach whatever this process can. Default: false.
   */
  readonly allowIntranet?: boolean;
  /**
   * Whether owners of devices may have endpoints. They get the events of their own devices. With `allowIntranet`, owners too
   * can reach whatever this process can. Default: false; then nothing is sent to endpoints of owners.
   */
  readonly forOwners?: boolean;
  readonly clock?: Clock;
}

export interface SenderOptions extends WebhookOptions {
  /** Default: silent. */
  readonly logger?: Logger;
  /** How often to look for events, in milliseconds. 10 or more, default 1,000. */
  readonly everyMs?: number;
  /** How long an attempt may take, in milliseconds. 1 to 14,000, default 10,000. */
  readonly timeoutMs?: number;
  /** Returns a number from 0 to 1, for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

export interface Webhooks {
  readLevels(): SenderLevels;
  /** Starts no further attempt, aborts those that run, and lets another process continue at once. */
  stop(): Promise<void>;
}

/** Sends to all endpoints, at most one round for each at a time. */
export interface Sender extends Webhooks {
  /** Starts a round for every endpoint that has none running. Resolves when these rounds have ended. */
  runRounds(): Promise<void>;
}

/** Creates a sender without a timer. */
export function createSender(store: GatewayStore, options: SenderOptions): Sender {
  const { secrets, allowIntranet = false, clock = systemClock, logger = silentLogger } = options;
  const { forOwners = false } = options;
  const stopping = new AbortController();
  const pages = createPageReader(store);
  const idle = createIdleEndpoints({ store, pages, clock, countResets: () => resets });
  const resting = createRestingEndpoints(store, clock);
  const progress = createSenderProgress();
  const tools: SenderTools = {
    ...{ store, pages, idle, resting, progress, clock, logger, allowIntranet },
    signal: stopping.signal,
    seal: createSeal(secrets.pepper),
    random: options.random ?? Math.random,
    timeoutMs: Math.min(14_000, Math.max(1, options.timeoutMs ?? 10_000)),
    countResets: async () => {
      const outcome = await readFeed();
      if (outcome.isUnread?.("") === true) {
        throw new StoreUnavailableError(
          "The database of the event log may have failed over. Trying again.",
        );
      }
      return resets;
    },
    holder: randomUUID(),
    triedFreshAt: new Map(),
    isChanged: ({ id, revision }) => (revisions.get(id) ?? Number.POSITIVE_INFINITY) > revision,
  };
  const running = new Map<string, Promise<void>>();
  /** The followers whose leases this process took, with their endpoints. */
  const held = new Map<string, string>();
  /** The revisions of all endpoints when they were last listed. */
  let revisions: ReadonlyMap<string, number> = new Map();
  let feed: string | null = null;
  let resets = 0;

  /** Whether this process sends to the endpoint. */
  const isServed = ({ enabled, ownerId }: WebhookEndpoint) =>
    enabled && (ownerId === null || forOwners);

  /** Forgets what was read if the store may have failed over to one that lacks it. */
  async function readFeed(): Promise<ChangesOutcome> {
    const outcome = await store.changes.since(feed);
    feed = outcome.cursor;
    if (outcome.kind === "reset") {
      resets += 1;
      idle.forget();
    }
    return outcome;
  }

  async function runUntilIdle(first: WebhookEndpoint): Promise<void> {
    const { id } = first;
    let seen = resets;
    // A replay, for example, has the whole log to pass over.
    const mayPassOver = idle.isCaughtUp(first)
      ? Number.POSITIVE_INFINITY
      : senderLimits.pagesOfOthers;
    let pagesOfOthers = 0;
    try {
      let endpoint: WebhookEndpoint | undefined = first;
      for (let hasMore = true; hasMore && !stopping.signal.aborted; ) {
        if (endpoint === undefined || !isServed(endpoint)) return;
        if (await resting.isResting(endpoint)) return;
        if (endpoint.ownerId !== null && (await idle.isIdle(endpoint))) return;
        held.set(followerNameOf(endpoint), id);
        const end = await runRound(tools, endpoint, seen);
        if (end === "more_after_nothing") pagesOfOthers += 1;
        hasMore = end !== "done" && pagesOfOthers < mayPassOver;
        // Read again for each further round: it may have been changed, disabled or removed.
        if (hasMore) {
          seen = resets;
          endpoint = (await store.webhooks.list()).find((each) => each.id === id);
        }
      }
    } catch (error) {
      if (error instanceof LeaseLostError || error instanceof StoreUnavailableError) return;
      logger.error(
        { endpointId: id, err: error },
        "Could not send messages to a webhook. Trying again",
      );
    }
  }

  /**
   * Removes the followers of endpoints that were removed or replayed, which this process took meanwhile. Names that are not
   * in `current` never return.
   */
  async function removeFormer(names: readonly string[], current: ReadonlySet<string>) {
    for (const name of names) {
      if (current.has(name) || running.has(held.get(name) ?? "")) continue;
      await store.followers.remove(name);
      held.delete(name);
    }
  }

  /** Forgets when endpoints that do not exist any more were tried, and will be. */
  function forgetTries(endpointIds: ReadonlySet<string>): void {
    const { triedFreshAt } = tools;
    for (const id of triedFreshAt.keys()) if (!endpointIds.has(id)) triedFreshAt.delete(id);
    resting.keepOnly(endpointIds);
  }

  async function runRounds(): Promise<void> {
    await readFeed();
    // Both are read before the endpoints. A round that ends later changes its endpoint after it was read here.
    const busy = new Set(running.keys());
    const names = [...held.keys()];
    const endpoints = await store.webhooks.list();
    revisions = new Map(endpoints.map(({ id, revision }) => [id, revision]));
    const current = new Set(endpoints.map(followerNameOf));
    await removeFormer(names, current);
    pages.refresh();
    progress.keepOnly(new Set(endpoints.filter(isServed).map(({ id }) => id)));
    idle.keepOnly(current);
    forgetTries(new Set(endpoints.map(({ id }) => id)));
    const rounds = endpoints
      .filter((each) => isServed(each) && !busy.has(each.id) && !running.has(each.id))
      .map((endpoint) => {
        const { id } = endpoint;
        const round = runUntilIdle(endpoint).finally(() => running.delete(id));
        running.set(id, round);
        return round;
      });
    await Promise.all(rounds);
  }

  return {
    readLevels: () => progress.readLevels(clock.now()),
    async runRounds() {
      if (stopping.signal.aborted) return;
      await runRounds().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) throw error;
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
      const { holder } = tools;
      for (const name of held.keys()) {
        // Another process waits for the lease to expire if this fails.
        await store.followers.release({ name, holder }).catch(() => {});
      }
    },
  };
}

/**
 * Sends the events of the event log to the endpoints that `createWebhookManager` manages. Run it in any number of
 * processes: one at a time sends to an endpoint. The timer does not keep the process alive.
 * @throws {TypeError} if an option is invalid.
 *
 * @example
 * const webhooks = startWebhooks(store, { secrets });
 * process.once("SIGTERM", () => webhooks.stop());
 */
export function startWebhooks(store: GatewayStore, options: SenderOptions): Webhooks {
  const { everyMs = 1_000, logger = silentLogger } = options;
  if (!(everyMs >= 10)) throw new TypeError("everyMs: pass a number of 10 or more.");
  const sender = createSender(store, options);
  const tick = () => {
    sender.runRounds().catch((error: unknown) => {
      logger.error({ err: error }, "The webhooks could not be read. Trying again");
    });
  };
  tick();
  const timer = setInterval(tick, everyMs).unref();
  return {
    readLevels: sender.readLevels,
    async stop() {
      clearInterval(timer);
      await sender.stop();
    },
  };
}
