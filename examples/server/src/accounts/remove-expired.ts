import { nextTurn } from "@device-gateway/core/store";
import type { AuthContext } from "better-auth";

type Context = {
  readonly adapter: Pick<AuthContext["adapter"], "findMany" | "deleteMany">;
  readonly rateLimit: Pick<AuthContext["rateLimit"], "storage">;
};

/** In milliseconds. Longer than the window of any rate limit. */
const requestsCountMs = 3_600_000;

/** Deletes rows, at most `step` with one statement, until none is left or the signal aborts. */
async function removeRows(
  { adapter }: Context,
  model: string,
  expired: { readonly field: string; readonly operator: "lt"; readonly value: Date | number },
  { signal, step }: { readonly signal: AbortSignal | undefined; readonly step: number },
): Promise<void> {
  while (signal?.aborted !== true) {
    const found = await adapter.findMany<{ readonly id: string }>({
      ...{ model, where: [expired], limit: step, select: ["id"] },
    });
    if (found.length === 0) return;
    const among = { field: "id", operator: "in" as const, value: found.map(({ id }) => id) };
    // A request that began before the row expired may have extended it.
    await adapter.deleteMany({ model, where: [expired, among] });
    await nextTurn();
  }
}

/** Deletes expired sessions, and the counts of rate limits that have expired, until none is left or the signal aborts. */
export async function removeExpired(
  context: Context,
  signal?: AbortSignal,
  step = 500,
): Promise<void> {
  const now = new Date();
  const inSteps = { signal, step };
  const ended = { field: "expiresAt", operator: "lt", value: now } as const;
  await removeRows(context, "session", ended, inSteps);
  if (context.rateLimit.storage !== "database") return;
  const value = now.getTime() - requestsCountMs;
  const past = { field: "lastRequest", operator: "lt", value } as const;
  await removeRows(context, "rateLimit", past, inSteps);
}
