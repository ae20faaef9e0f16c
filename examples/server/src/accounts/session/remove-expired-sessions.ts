import { nextTurn } from "@device-gateway/core/store";
import type { AuthContext } from "better-auth";

/** Deletes expired sessions, at most `step` with one statement, until none is left or the signal aborts. */
export async function removeExpiredSessions(
  { adapter }: { readonly adapter: Pick<AuthContext["adapter"], "findMany" | "deleteMany"> },
  signal?: AbortSignal,
  step = 500,
): Promise<void> {
  const model = "session";
  const expired = { field: "expiresAt", operator: "lt" as const, value: new Date() };
  while (signal?.aborted !== true) {
    const found = await adapter.findMany<{ readonly id: string }>({
      ...{ model, where: [expired], limit: step, select: ["id"] },
    });
    if (found.length === 0) return;
    const among = { field: "id", operator: "in" as const, value: found.map(({ id }) => id) };
    // A request that began before the session expired may have extended it.
    await adapter.deleteMany({ model, where: [expired, among] });
    await nextTurn();
  }
}
