import type { Logger } from "../ports/logger.js";
import type { CommittedEvent, GatewayEventKind, GatewayEventListener } from "./gateway-event.js";
import type { Observation } from "./observation.js";

/** What somebody may be told of. */
type Announcement = CommittedEvent | Observation;

/** Tells listeners in this process what was committed, and how it goes. */
export interface Announcer {
  /** Calls back at each event of a kind; gives what ends that. */
  on<Kind extends GatewayEventKind>(kind: Kind, listener: GatewayEventListener<Kind>): () => void;
  /** Whether anybody listens. */
  hears(kind: GatewayEventKind): boolean;
  /** Called after the commit. Kinds that are not announced have no listeners. */
  announce(event: Announcement): void;
}

type AnyListener = (event: Announcement) => void | Promise<void>;

export function createAnnouncer(logger: Logger): Announcer {
  const listeners = new Map<string, Set<AnyListener>>();

  async function tell(listener: AnyListener, event: Announcement) {
    try {
      await listener(event);
    } catch (error) {
      const requestId = "requestId" in event ? event.requestId : null;
      logger.error(
        { requestId, kind: event.kind, err: error },
        "A listener of the gateway's events failed",
      );
    }
  }

  return {
    on(kind, listener) {
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind);
      // A function of its own: the same listener may be put there twice.
      const entry: AnyListener = (event) => (listener as AnyListener)(event);
      ofKind.add(entry);
      return () => void ofKind.delete(entry);
    },
    hears: (kind) => (listeners.get(kind)?.size ?? 0) > 0,
    announce(event) {
      const ofKind = [...(listeners.get(event.kind) ?? [])];
      // In a turn of its own, so that no answer waits for a listener.
      if (ofKind.length > 0) queueMicrotask(() => ofKind.forEach((one) => void tell(one, event)));
    },
  };
}
