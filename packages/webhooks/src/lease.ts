import type { Clock } from "@device-gateway/core";
import {
  type FollowerStore,
  toFollowerPrefix,
  type WebhookEndpoint,
} from "@device-gateway/core/store";
import { senderLimits } from "./sender-limits.js";

/** Thrown when another process sends to the endpoint now. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Returns the name of an endpoint's cursor and lease. */
export const followerNameOf = ({
  id,
  generation,
}: Pick<WebhookEndpoint, "id" | "generation">): string => `${toFollowerPrefix(id)}${generation}`;

/** Where an endpoint is in the event log. */
export interface LogPlace {
  /** The id of the last event that needs no more reading. */
  readonly after: number;
  /** Deletions up to this id were announced by a message about a gap. */
  readonly announcedUpTo: number;
}

/** The earlier form of a cursor has no second number. It stays in use where the number says nothing. */
const toCursor = ({ after, announcedUpTo }: LogPlace): string =>
  announcedUpTo > after ? `${after}:${announcedUpTo}` : String(after);

function toPlace(cursor: string): LogPlace {
  const [after, announcedUpTo = 0] = cursor.split(":").map(Number);
  return { after: after as number, announcedUpTo };
}

/** The right to send to an endpoint, and its place in the event log. */
export interface Lease {
  /** Null at first. */
  readonly place: LogPlace | null;
  /** @throws {LeaseLostError} if another process has it. */
  keep(): Promise<void>;
  /** Stores the place. @throws {LeaseLostError} if another process has the lease. */
  advance(place: LogPlace): Promise<void>;
}

/** Takes the lease, or renews it. Returns null if another process has it. */
export async function takeLease(
  followers: FollowerStore,
  clock: Clock,
  { name, holder }: { readonly name: string; readonly holder: string },
): Promise<Lease | null> {
  const { leaseMs } = senderLimits;
  let until = 0;
  const take = () => {
    const at = clock.now();
    until = at + leaseMs;
    return followers.take({ name, holder, at, until });
  };
  const taken = await take();
  if (taken === null) return null;
  return {
    place: taken.cursor === "" ? null : toPlace(taken.cursor),
    async keep() {
      const left = until - clock.now();
      // An attempt takes less than half of the lease. If the clock was set back, more is left than a lease lasts, and
      // another process may have taken it.
      if (left >= leaseMs / 2 && left <= leaseMs) return;
      if ((await take()) === null) throw new LeaseLostError();
    },
    async advance(place) {
      const isHeld = await followers.advance({ name, holder, cursor: toCursor(place) });
      if (!isHeld) throw new LeaseLostError();
    },
  };
}
