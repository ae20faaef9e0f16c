import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { matchSecret } from "../auth/match-secret.js";
import type { GatewayContext } from "../context.js";
import type { LoginAnswer, LoginRequest } from "../contract/index.js";
import { recordImpliedReports } from "../ota/update/implied-reports.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { addressName } from "../throttle/address-name.js";
import { drawTokens, giveTokensBack } from "../throttle/draw-tokens.js";
import type { Device } from "./device.js";
import { type DeviceProfile, equalProfiles, updateProfile } from "./device-profile.js";
import { issueToken } from "./issue-token.js";
import { makeCredential, type NewCredential } from "./make-credential.js";
import { useCredential } from "./use-credential.js";

export type LoginFailure = Failure<"invalid_credentials" | "too_many_requests">;

async function recordChanges(
  { store, deviceCache, secretHash, clock }: GatewayContext,
  device: Device,
  request: LoginRequest,
): Promise<DeviceProfile> {
  const profile = updateProfile(device.profile, request, (fingerprint) =>
    secretHash.encode("hardware-fingerprint", fingerprint),
  );
  if (!equalProfiles(profile, device.profile)) {
    const { deviceId } = device;
    const change = { deviceId, profile, now: clock.now() };
    await deviceCache.change(deviceId, () => store.devices.recordProfile(change));
  }
  return profile;
}

/** No request takes longer than this. A late login must not replace the credential that a later one received. */
const requestMs = 300_000;

/**
 * Returns a new credential if a rotation is due, or null if it is not or another login was faster. It never
 * replaces a pending credential of a registration, which may be the only one that the device has (§1).
 */
async function rotateIfDue(
  context: GatewayContext,
  device: Device,
  origin: RequestOrigin,
): Promise<NewCredential | null> {
  const { store, deviceCache, policies, clock } = context;
  const { deviceId, profile, claimCodeHash, claimCodeSpent, revision, pendingCredential } = device;
  const now = clock.now();
  const after = policies.rotateSecretAfterSeconds;
  if (after === null || now - device.credential.issuedAt < after * 1000) return null;
  if (pendingCredential !== null) {
    const { isRotation, issuedAt } = pendingCredential;
    if (!isRotation || now - issuedAt < requestMs) return null;
  }

  const created = makeCredential(context, device);
  const rotation = {
    deviceId,
    expectedRevision: revision,
    pending: { ...created.credential, isRotation: true },
    profile,
    claimCodeHash,
    claimCodeSpent,
    closeReEnrolment: false,
    event: makeEvent({ kind: "device.secret_rotated", at: now, deviceId, actor: "device", origin }),
  };
  const outcome = await deviceCache.change(deviceId, () => store.devices.rotate(rotation));
  return outcome.kind === "rotated" ? created : null;
}

/**
 * Waits for a random time of 0 to 31 ms before a refusal. The store takes some microseconds longer for a device that
 * exists, and this hides them.
 */
async function pause({ random }: GatewayContext): Promise<void> {
  const [byte = 0] = random.bytes(1);
  await new Promise<void>((resolve) => setTimeout(resolve, byte & 31));
}

/**
 * Issues a token to a registered device and records its profile if that changed (§2). An unknown device and a wrong
 * secret get the same response after the same work.
 */
export async function loginDevice(
  context: GatewayContext,
  request: LoginRequest,
  origin: RequestOrigin,
): Promise<Result<LoginAnswer, LoginFailure>> {
  const result = await tryLogin(context, request, origin);
  if (result.isErr() && result.error.code === "invalid_credentials") await pause(context);
  return result;
}

async function tryLogin(
  context: GatewayContext,
  request: LoginRequest,
  origin: RequestOrigin,
): Promise<Result<LoginAnswer, LoginFailure>> {
  const { store, secretHash, limits } = context;
  const found = await store.devices.find(request.deviceId);
  const credential = matchSecret(secretHash, found, request.deviceSecret);
  if (found === null || credential === null || found.revokedAt !== null) {
    return err({ code: "invalid_credentials" });
  }
  // A whole site may log in from one address, so only wrong secrets count against the address. Correct ones count
  // against the device, after the check of the secret: nobody else can use up its logins or learn from a 429.
  await giveTokensBack(context, {
    bucket: "auth",
    who: addressName(origin.clientAddress),
    perMinute: limits.authPerMinute,
  });
  const drawn = await drawTokens(context, {
    bucket: "login",
    who: request.deviceId,
    perMinute: limits.loginsPerMinute,
    burst: limits.loginsPerMinute * 2,
  });
  if (drawn.isErr()) return err(drawn.error);

  const device = await useCredential(context, found, credential.epoch, origin);
  if (device === null) return err({ code: "invalid_credentials" });

  const current = { ...device, profile: await recordChanges(context, device, request) };
  if (request.firmwareVersion !== undefined) {
    await recordImpliedReports(context, device, request.firmwareVersion, origin);
  }
  await context.presence.see(device, context.clock.now(), origin.requestId);
  const rotated = await rotateIfDue(context, current, origin);
  if (rotated === null) return ok(await issueToken(context, current, device.credential));
  const answer = await issueToken(context, current, rotated.credential);
  return ok({ ...answer, deviceSecret: rotated.deviceSecret });
}
