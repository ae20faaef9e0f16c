import { err, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import type { ErrorCode } from "../contract/index.js";
import { toBase64Url } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Budget } from "./budget-store.js";
import { inReservationTurn } from "./reservation-turn.js";

export interface Attempt {
  /** The route that checks the code. */
  readonly at: "claim" | "register";
  readonly budgets: readonly Budget[];
  readonly deviceId: string;
  readonly actor: string;
  readonly origin: RequestOrigin;
}

/**
 * Checks a code only if its budgets have an attempt left, else returns `too_many_attempts` (§9). The attempt is
 * reserved before the check. It counts if the check returns an error. It is refunded if the check succeeds or throws,
 * and if the reservation fails, because it may have been committed.
 */
export async function guardAttempt<Value, Code extends ErrorCode>(
  { store, clock, random, attemptRefunds, budgetsInTurn, events }: GatewayContext,
  { at, budgets, deviceId, actor, origin }: Attempt,
  check: () => Promise<Result<Value, Failure<Code>>>,
): Promise<Result<Value, Failure<Code | "too_many_attempts">>> {
  const now = clock.now();
  const reservationId = toBase64Url(random.bytes(12));
  const event = makeEvent({ kind: "budget.spent", at: now, deviceId, actor, origin });
  const reserved = await inReservationTurn(budgetsInTurn, { at, actor, origin }, () =>
    store.budgets.reserve({ reservationId, budgets, now, event }),
  ).catch((error: unknown) => {
    attemptRefunds.refundUncertain(reservationId);
    throw error;
  });
  if (reserved.kind === "refused") {
    const retryAfterSeconds = Math.max(1, Math.ceil((reserved.retryAt - now) / 1000));
    return err({ code: "too_many_attempts", retryAfterSeconds });
  }
  let counts = false;
  try {
    const result = await check();
    counts = result.isErr();
    return result;
  } finally {
    if (counts) events.announce({ kind: "code.refused", at });
    else await attemptRefunds.refund(reservationId);
  }
}
