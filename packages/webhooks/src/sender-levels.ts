import type { WebhookDelivery } from "@device-gateway/core/store";

/** What a sender has done since its process started, and what waits, for metrics. */
export interface SenderLevels {
  /** Attempts that succeeded: deliveries. */
  readonly delivered: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Messages that were given up. */
  readonly deadLetters: number;
  /** Messages that wait for another attempt or for an earlier one of their device, of the endpoints that this process serves. */
  readonly waiting: number;
  /** Age of the oldest message that is not delivered and not given up, in seconds. 0 if there is none. */
  readonly lagSeconds: number;
}

/** What a round left for an endpoint. */
export interface RoundNotes {
  readonly delivered: number;
  readonly failed: number;
  readonly deadLetters: number;
  /** The messages that wait. */
  readonly left: readonly Pick<WebhookDelivery, "since">[];
  /** The time of the first event that was read and did not become a message yet. */
  readonly unreadSince: number | null;
}

/** Counts what a sender does. */
export interface SenderProgress {
  note(endpointId: string, notes: RoundNotes): void;
  /** Forgets what waits for an endpoint that this process does not serve now. */
  forget(endpointId: string): void;
  /** Forgets what waits for all endpoints but these. */
  keepOnly(endpointIds: ReadonlySet<string>): void;
  readLevels(now: number): SenderLevels;
}

export function createSenderProgress(): SenderProgress {
  const left = new Map<string, { waiting: number; oldest: number | null }>();
  let [delivered, failed, deadLetters] = [0, 0, 0];
  return {
    note(endpointId, notes) {
      delivered += notes.delivered;
      failed += notes.failed;
      deadLetters += notes.deadLetters;
      const times = notes.left.map(({ since }) => since);
      if (notes.unreadSince !== null) times.push(notes.unreadSince);
      const oldest = times.length === 0 ? null : Math.min(...times);
      left.set(endpointId, { waiting: notes.left.length, oldest });
    },
    forget: (endpointId) => void left.delete(endpointId),
    keepOnly(endpointIds) {
      for (const id of left.keys()) if (!endpointIds.has(id)) left.delete(id);
    },
    readLevels(now) {
      const all = [...left.values()];
      const oldest = all.flatMap((one) => one.oldest ?? []);
      return {
        ...{ delivered, failed, deadLetters },
        waiting: all.reduce((sum, one) => sum + one.waiting, 0),
        lagSeconds: oldest.length === 0 ? 0 : Math.max(0, now - Math.min(...oldest)) / 1_000,
      };
    },
  };
}
