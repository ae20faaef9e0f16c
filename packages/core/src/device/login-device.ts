import { err, ok, type Result } from "neverthrow";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { LoginAnswer, LoginRequest } from "../contract/index.js";
import type { Failure } from "../failure.js";
import { canonicalJson } from "../json.js";
import { giveTokensBack } from "../throttle/draw-tokens.js";
import { updateProfile } from "./device-profile.js";
import { issueToken } from "./issue-token.js";

export type LoginFailure = Failure<"invalid_credentials">;

/**
 * Gives a registered gateway a fresh token and records what it says of itself, if that changed
 * (contract §2). An unknown device and a wrong secret get the same answer for the same work.
 */
export async function loginDevice(
  context: GatewayContext,
  request: LoginRequest,
  origin: RequestOrigin,
): Promise<Result<LoginAnswer, LoginFailure>> {
  const { store, secretHash, limits } = context;
  const device = await store.devices.find(request.deviceId);
  const storedHash = device?.credential.secretHash ?? null;
  const right = secretHash.matches("device-secret", request.deviceSecret, storedHash);
  if (device === null || !right) return err({ code: "invalid_credentials" });

  // Whole sites log in from one address: only failures count.
  await giveTokensBack(context, {
    bucket: "auth",
    who: origin.clientAddress ?? "unknown",
    perMinute: limits.authPerMinute,
  });

  const profile = updateProfile(device.profile, request, (fingerprint) =>
    secretHash.encode("hardware-fingerprint", fingerprint),
  );
  if (canonicalJson(profile) !== canonicalJson(device.profile)) {
    await store.devices.recordProfile({ deviceId: device.deviceId, profile });
  }
  return ok(await issueToken(context, { ...device, profile }));
}
