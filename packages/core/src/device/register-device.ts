import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { retryWhileChanged } from "../change/retry-while-changed.js";
import { type ClaimCode, parseClaimCode } from "../claim/claim-code.js";
import type { GatewayContext } from "../context.js";
import type { RegisterRequest } from "../contract/index.js";
import { dayMs } from "../shared/durations.js";
import { mustSendClaimCode } from "../shared/firmware-version.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Device } from "./device.js";
import { lastRegisteredAt } from "./last-registered-at.js";
import { registerAgain } from "./register-again.js";
import { registerNew } from "./register-new.js";
import type { RegisterFailure, Registration, RegistrationInput } from "./registration.js";
import { inSitesTurn } from "./registration-turn.js";

const badClaimCode = (code: string, message: string): RegisterFailure => ({
  code: "invalid_request",
  errors: [{ path: "claimCode", code, message }],
});

/** Returns the normalised claim code of a request. Null: firmware below 0.1.4 sent none, and that is allowed. */
function claimCodeOf(
  { limits, policies }: GatewayContext,
  { claimCode, firmwareVersion }: RegisterRequest,
): Result<ClaimCode | null, RegisterFailure> {
  if (claimCode) {
    return parseClaimCode(claimCode, limits.claimCodeMinLength).mapErr((message) =>
      badClaimCode("invalid_format", message),
    );
  }
  if (!mustSendClaimCode(firmwareVersion) && policies.allowLegacyRegistration) return ok(null);
  return err(badClaimCode("required", "Required from firmware 0.1.4 on"));
}

/** Finds the device. An expired registration that was never used is deleted, and the device counts as unknown. */
async function findOrDrop(
  context: GatewayContext,
  input: RegistrationInput,
): Promise<Device | null> {
  const { store, clock, limits, deviceCache } = context;
  const { request, origin } = input;
  const { deviceId } = request;
  const device = await inSitesTurn(context, input, () => store.devices.find(deviceId));
  const registeredBefore = clock.now() - limits.unusedRegistrationDays * dayMs;
  if (device === null || device.firstUsedAt !== null) return device;
  if (lastRegisteredAt(device) >= registeredBefore) return device;
  const { deviceId: _, ...event } = makeEvent({
    kind: "device.dropped",
    at: clock.now(),
    deviceId,
    actor: "gateway",
    origin,
  });
  await deviceCache.change(deviceId, () =>
    store.devices.dropUnused({ deviceId, registeredBefore, limit: 1, event }),
  );
  return store.devices.find(deviceId);
}

/**
 * Registers a new device, or registers a known one again if it proves its identity (§1).
 * @throws {StoreUnavailableError} if other requests keep changing the device.
 */
export async function registerDevice(
  context: GatewayContext,
  request: RegisterRequest,
  origin: RequestOrigin,
  turn: () => Promise<void>,
): Promise<Result<Registration, RegisterFailure>> {
  const claimCode = claimCodeOf(context, request);
  if (claimCode.isErr()) return err(claimCode.error);
  const input = { request, claimCode: claimCode.value, origin, turn };

  return retryWhileChanged(request.deviceId, async () => {
    const device = await findOrDrop(context, input);
    return device === null ? registerNew(context, input) : registerAgain(context, device, input);
  });
}
