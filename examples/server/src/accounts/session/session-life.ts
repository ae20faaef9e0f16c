import type { BetterAuthOptions } from "better-auth";

/** How long a session lasts without use, and at most. */
const idleMs = 7 * 86_400_000;
const absoluteMs = 30 * 86_400_000;
/** How often the last use of a session is written. */
const touchMs = 3_600_000;

interface Times {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const endOf = (createdAt: Date, usedAt: number) =>
  new Date(Math.min(usedAt + idleMs, createdAt.getTime() + absoluteMs));

/** better-auth never extends a session: `toTouched` says when to do that. The cookie lasts as long as any session can. */
export const sessionOptions: BetterAuthOptions["session"] = {
  expiresIn: absoluteMs / 1_000,
  disableSessionRefresh: true,
  // Freshness has a rule of its own: `freshSignIn`.
  freshAge: 0,
};

/** Ends each new session after a week without use. */
export const sessionLife: BetterAuthOptions["databaseHooks"] = {
  session: {
    create: {
      async before(session) {
        const end = endOf(session.createdAt, session.createdAt.getTime());
        return {
          data: { expiresAt: new Date(Math.min(session.expiresAt.getTime(), end.getTime())) },
        };
      },
    },
  },
};

/** Returns the new times of a session that is used now. Undefined if its last use was written within the last hour. */
export function toTouched(
  { createdAt, updatedAt }: Times,
  now: number,
): { readonly updatedAt: Date; readonly expiresAt: Date } | undefined {
  if (now - updatedAt.getTime() < touchMs) return undefined;
  return { updatedAt: new Date(now), expiresAt: endOf(createdAt, now) };
}
