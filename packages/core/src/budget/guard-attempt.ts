import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import { toBase64Url } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import type { Budget } from "./budget-store.js";

export interface Attempt {
  /** Where the code is tried. */
  readonly at: "claim" | "register";
  readonly budgets: readonly Budget[];
  readonly deviceId: string;
  readonly actor: string;
  readonly origin: RequestOrigin;
}

/**
 * Lets a check of a code happen only if its budgets have a try left (contract §9). The try is
 * reserved before the check, and given back when the check was right or could not be made, or when
 * nobody knows whether it was reserved.
 */
export async function guardAttempt<Outcome>(
  { store, clock, random, attemptRefunds: tryReturns, events }: GatewayContext,
  { at, budgets, deviceId, actor, origin }: Attempt,
  check: () => Promise<Outcome>,
  wasRight: (outcome: Outcome) => boolean,
): Promise<Result<Outcome, Failure<"too_many_attempts">>> {
  const now = clock.now();
  const reservationId = toBase64Url(random.bytes(12));
  const event = makeEvent({ kind: "budget.spent", at: now, deviceId, actor, origin });
  const reserved = await store.budgets
    .reserve({ reservationId, budgets, now, event })
    .catch((error: unknown) => {
      tryReturns.refundUncertain(reservationId);
      throw error;
    });
  if (reserved.kind === "refused") {
    const retryAfterSeconds = Math.max(1, Math.ceil((reserved.retryAt - now) / 1000));
    return err({ code: "too_many_attempts", retryAfterSeconds });
  }
  let counts = false;
  try {
    const outcome = await check();
    counts = !wasRight(outcome);
    return ok(outcome);
  } finally {
    if (counts) events.announce({ kind: "code.refused", at });
    else await tryReturns.refund(reservationId);
  }
}
