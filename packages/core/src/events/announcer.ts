import type { Logger } from "../ports/logger.js";
import { checkListener } from "./check-listener.js";
import type { CommittedEvent, GatewayEventKind, GatewayEventListener } from "./gateway-event.js";
import type { Observation } from "./observation.js";

/** What listeners may receive. */
type Announcement = CommittedEvent | Observation;

/** Calls the listeners of this process with committed events and observations. */
export interface Announcer {
  /**
   * Calls the listener with every later event of a kind. Returns a function that removes the listener.
   * @throws {TypeError} if there is no such kind.
   * @example
   * ```ts
   * const off = gateway.on("device.claimed", ({ deviceId, actor }) => welcome(actor, deviceId));
   * ```
   */
  on<Kind extends GatewayEventKind>(kind: Kind, listener: GatewayEventListener<Kind>): () => void;
  /** Returns whether a kind has listeners. */
  hasListeners(kind: GatewayEventKind): boolean;
  /** Calls the listeners. Must be called after the commit. Kinds outside `GatewayEvents` never have listeners. */
  announce(event: Announcement): void;
}

type AnyListener = (event: Announcement) => void | Promise<void>;

export function createAnnouncer(logger: Logger): Announcer {
  const listeners = new Map<string, Set<AnyListener>>();

  async function notify(listener: AnyListener, event: Announcement) {
    try {
      await listener(event);
    } catch (error) {
      const requestId = "requestId" in event ? event.requestId : null;
      logger.error(
        { requestId, kind: event.kind, err: error },
        "A listener of the gateway's events failed.",
      );
    }
  }

  return {
    on(kind, listener) {
      checkListener(kind, listener);
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind);
      // A new function, because the same listener may be added twice.
      const entry: AnyListener = (event) => (listener as AnyListener)(event);
      ofKind.add(entry);
      return () => void ofKind.delete(entry);
    },
    hasListeners: (kind) => (listeners.get(kind)?.size ?? 0) > 0,
    announce(event) {
      const ofKind = [...(listeners.get(event.kind) ?? [])];
      // In a microtask, so that no response waits for a listener.
      if (ofKind.length > 0) queueMicrotask(() => ofKind.forEach((one) => void notify(one, event)));
    },
  };
}
