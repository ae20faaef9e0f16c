import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { type ClaimCode, parseClaimCode } from "../claim/claim-code.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { RegisterRequest } from "../contract/index.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { mustSendClaimCode } from "../shared/firmware-version.js";
import type { Device } from "./device.js";
import { lastRegisteredAt } from "./last-registered-at.js";
import { registerAgain } from "./register-again.js";
import { registerNew } from "./register-new.js";
import type { RegisterFailure, Registration } from "./registration.js";

const dayMs = 86_400_000;
/** How often a device may change under our hands before we leave it to the caller's retry. */
const maxTries = 5;

const badClaimCode = (code: string, message: string): RegisterFailure => ({
  code: "invalid_request",
  errors: [{ path: "claimCode", code, message }],
});

/** The claim code of a request, normalised; null where firmware from before claim codes has none. */
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

/** The device of that id, unless it last registered long ago and was never used: then it is dropped. */
async function findOrDrop(
  { store, clock, limits, deviceCache }: GatewayContext,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Device | null> {
  const device = await store.devices.find(deviceId);
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
 * Registers a gateway: a new one, or again one that proves that it is the same (contract §1).
 * @throws {StoreUnavailableError} when others change the device all the time.
 */
export async function registerDevice(
  context: GatewayContext,
  request: RegisterRequest,
  origin: RequestOrigin,
): Promise<Result<Registration, RegisterFailure>> {
  const claimCode = claimCodeOf(context, request);
  if (claimCode.isErr()) return err(claimCode.error);
  const input = { request, claimCode: claimCode.value, origin };
  const { deviceId, hardwareId, firmwareVersion } = request;

  for (let tries = 0; tries < maxTries; tries++) {
    const device = await findOrDrop(context, deviceId, origin);
    const applicant = {
      deviceId,
      hardwareId,
      firmwareVersion,
      clientAddress: origin.clientAddress,
      registered: device !== null,
    };
    if (!(await context.policies.admitDevice(applicant))) {
      return err({ code: "device_not_admitted" });
    }
    const attempt =
      device === null
        ? await registerNew(context, input)
        : await registerAgain(context, device, input);
    if (attempt !== "changed") return attempt;
  }
  throw new StoreUnavailableError(`Device ${deviceId} is being changed all the time.`);
}
