import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { matchSecret } from "../auth/match-secret.js";
import { claimBudgets } from "../budget/attempt-budgets.js";
import { guardAttempt } from "../budget/guard-attempt.js";
import { retryWhileChanged } from "../change/retry-while-changed.js";
import type { GatewayContext } from "../context.js";
import type { ClaimAnswer, ClaimRequest } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { runHook } from "../hooks/run-hook.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { toTimestamp } from "../shared/timestamp.js";
import { claimRequester, type HashRequester } from "../slow-hash/hash-requester.js";
import type { User } from "../user/user.js";
import { parseClaimCode } from "./claim-code.js";
import { decideByClaimCode } from "./claim-code-hash.js";

export type ClaimFailure = Failure<
  | "email_not_verified"
  | "too_many_attempts"
  | "claim_code_required"
  | "device_secret_required"
  | "invalid_claim"
  | "already_claimed"
  | "refused"
>;

/**
 * Checks the proof of a claim in the order of §3, steps 5 and 6. Every `invalid_claim` costs exactly one slow hash,
 * whatever was wrong.
 */
async function checkProof(
  context: GatewayContext,
  requester: HashRequester,
  { deviceId, claimCode, deviceSecret }: ClaimRequest,
): Promise<Result<Device, ClaimFailure>> {
  const { store, secretHash, limits } = context;
  const found = await store.devices.find(deviceId);
  const device = found?.revokedAt === null ? found : null;
  const refuse = async () => {
    await decideByClaimCode(
      context,
      requester,
      { deviceId, code: null, stored: null },
      () => false,
    );
    return err({ code: "invalid_claim" } as const);
  };

  if (device !== null && device.claimCodeHash === null) {
    if (deviceSecret === undefined) return err({ code: "device_secret_required" });
    return matchSecret(secretHash, device, deviceSecret) === null ? refuse() : ok(device);
  }
  if (claimCode === undefined) return err({ code: "claim_code_required" });
  const code = parseClaimCode(claimCode, limits.claimCodeMinLength).unwrapOr(null);
  const check = { deviceId, code, stored: device?.claimCodeHash ?? null };
  const isCorrect = await decideByClaimCode(
    context,
    requester,
    check,
    (codeMatches) => codeMatches && device?.claimCodeSpent === false,
  );
  return isCorrect && device !== null ? ok(device) : err({ code: "invalid_claim" });
}

/** Makes a customer the owner of a device, if the claim code is correct (§3). */
export async function claimDevice(
  context: GatewayContext,
  customer: User,
  request: ClaimRequest,
  origin: RequestOrigin,
): Promise<Result<ClaimAnswer, ClaimFailure>> {
  const { store, deviceCache, clock, limits, policies } = context;
  const { deviceId } = request;
  if (policies.requireVerifiedEmail && !customer.emailVerified) {
    return err({ code: "email_not_verified" });
  }
  const budgets = claimBudgets(limits, customer.id, deviceId);
  const requester = claimRequester(customer, origin.clientAddress);
  return retryWhileChanged<Result<ClaimAnswer, ClaimFailure>>(deviceId, async () => {
    const proven = await guardAttempt(
      context,
      { at: "claim", budgets, deviceId, actor: customer.id, origin },
      () => checkProof(context, requester, request),
    );
    if (proven.isErr()) return err(proven.error);

    const { claimCodeHash, ownership } = proven.value;
    const hadOwner = ownership !== null;
    if (!hadOwner) {
      const claim = { deviceId, customerId: customer.id, assignedBy: null, origin };
      const allowed = await runHook(policies.before, "claim", "refused", claim);
      if (allowed.isErr()) return err(allowed.error);
    }
    const now = clock.now();
    const event = makeEvent({
      kind: "device.claimed",
      at: now,
      deviceId,
      actor: customer.id,
      origin,
    });
    const outcome = await deviceCache.change(deviceId, () =>
      store.claims.claim({ deviceId, ownerId: customer.id, claimCodeHash, hadOwner, now, event }),
    );
    switch (outcome.kind) {
      case "claimed":
      case "already_owned": {
        if (outcome.kind === "claimed") context.events.announce(event);
        const claimedAt = toTimestamp(outcome.claimedAt);
        return ok({ deviceId, status: outcome.kind, claimedAt });
      }
      case "taken":
        return err({ code: "already_claimed" });
      case "changed":
        return "changed";
    }
  });
}
