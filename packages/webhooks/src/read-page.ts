import {
  type GatewayStore,
  StoreUnavailableError,
  type WebhookEndpoint,
} from "@device-gateway/core/store";
import { type ChosenEvent, chooseEvents } from "./choose-events.js";
import { type Claim, findClaim, findLoggedClaim, mayOwnerGet } from "./owner-rule.js";
import { senderLimits } from "./sender-limits.js";

/** Events of the log after a place. */
export interface LogPage {
  readonly events: readonly ChosenEvent[];
  /** The place in the log when all of `events` is done. */
  readonly end: number;
  readonly hasMore: boolean;
  /** Events up to this id may have been deleted. */
  readonly prunedUpTo: number;
}

interface OwnersPage extends LogPage {
  /** The claims of the devices that the events are about: the present ones, or else the latest in the log. */
  readonly claims: ReadonlyMap<string, Claim | null>;
}

/** Reads the log for endpoints. */
export interface PageReader {
  /**
   * Returns the events after a place that an endpoint gets. While the database of a device does not answer, they may have
   * events of this device that the endpoint does not get. The check before each attempt finds them.
   */
  read(endpoint: WebhookEndpoint, after: number): Promise<LogPage>;
  /** Reads anew from now on. The endpoints of owners share what was read since the last call. */
  refresh(): void;
}

async function readLog(
  { securityEvents }: Pick<GatewayStore, "securityEvents">,
  after: number,
  kinds: WebhookEndpoint["filter"]["kinds"],
): Promise<LogPage> {
  // Read first: the page then has every wanted event up to this one, and an endpoint with few events keeps up.
  const [newest] = await securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
  const limit = senderLimits.batch;
  const events = await securityEvents.list({ after, limit, ...(kinds.length > 0 && { kinds }) });
  // Read after the page: a deletion between the two causes an unnecessary gap, and never a missing one.
  const prunedUpTo = await securityEvents.prunedUpTo();
  const last = events.at(-1)?.id ?? after;
  const hasMore = events.length === limit;
  return { events, hasMore, prunedUpTo, end: hasMore ? last : Math.max(last, newest?.id ?? 0) };
}

export function createPageReader(store: GatewayStore): PageReader {
  // Most endpoints of owners are at the end of the log and get nothing, so they share one page.
  const shared = new Map<number, Promise<OwnersPage>>();

  async function readForOwners(after: number): Promise<OwnersPage> {
    const page = await readLog(store, after, []);
    const claims = new Map<string, Claim | null>();
    // Read after the page, as findClaim requires.
    for (const { deviceId } of page.events) {
      if (deviceId === "" || claims.has(deviceId)) continue;
      claims.set(deviceId, await findBestClaim(deviceId));
    }
    return { ...page, claims };
  }

  async function findBestClaim(deviceId: string): Promise<Claim | null> {
    try {
      return await findClaim(store, deviceId);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return findLoggedClaim(store.securityEvents, deviceId);
    }
  }

  function share(after: number): Promise<OwnersPage> {
    const known = shared.get(after);
    if (known !== undefined) return known;
    const page = readForOwners(after);
    if (shared.size < senderLimits.sharedPages) shared.set(after, page);
    return page;
  }

  async function choose({ ownerId, filter }: WebhookEndpoint, after: number): Promise<LogPage> {
    if (ownerId === null) return readLog(store, after, filter.kinds);
    const { claims, ...page } = await share(after);
    const events = page.events.filter((event) =>
      mayOwnerGet(ownerId, event, claims.get(event.deviceId)),
    );
    return { ...page, events };
  }

  return {
    async read(endpoint, after) {
      const page = await choose(endpoint, after);
      return { ...page, events: await chooseEvents(store.devices, endpoint.filter, page.events) };
    },
    refresh: () => shared.clear(),
  };
}
