import { err, ok, type Result } from "neverthrow";
import { toBase64Url } from "../bytes.js";
import { type ClaimCode, parseClaimCode } from "../claim/claim-code.js";
import { hashClaimCode } from "../claim/claim-code-hash.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { RegisterAnswer, RegisterRequest } from "../contract/index.js";
import type { Failure } from "../failure.js";
import type { Device } from "./device.js";
import { plainProfile, updateProfile } from "./device-profile.js";
import { mustSendClaimCode } from "./firmware-version.js";
import { issueToken } from "./issue-token.js";

export type RegisterFailure = Failure<"invalid_request" | "device_already_registered">;

const badClaimCode = (code: string, message: string): RegisterFailure => ({
  code: "invalid_request",
  errors: [{ path: "claimCode", code, message }],
});

/** The claim code of a request, normalised; null where firmware from before claim codes has none. */
function claimCodeOf(
  { limits, allowLegacyRegistration }: GatewayContext,
  { claimCode, firmwareVersion }: RegisterRequest,
): Result<ClaimCode | null, RegisterFailure> {
  if (claimCode) {
    return parseClaimCode(claimCode, limits.claimCodeMinLength).mapErr((message) =>
      badClaimCode("invalid_format", message),
    );
  }
  if (!mustSendClaimCode(firmwareVersion) && allowLegacyRegistration) return ok(null);
  return err(badClaimCode("required", "Required from firmware 0.1.4 on"));
}

/** Registers a gateway that is new here (contract §1). */
export async function registerDevice(
  context: GatewayContext,
  request: RegisterRequest,
  origin: RequestOrigin,
): Promise<Result<RegisterAnswer, RegisterFailure>> {
  const { store, random, secretHash } = context;
  const { deviceId, hardwareId, firmwareVersion } = request;

  const claimCode = claimCodeOf(context, request);
  if (claimCode.isErr()) return err(claimCode.error);

  // Spares the slow hash; that only one registers is up to the store.
  if ((await store.devices.find(deviceId)) !== null) {
    return err({ code: "device_already_registered" });
  }

  const now = context.clock.now();
  const deviceSecret = toBase64Url(random.bytes(32));
  const device: Device = {
    deviceId,
    profile: updateProfile(plainProfile(hardwareId, firmwareVersion), request, (fingerprint) =>
      secretHash.encode("hardware-fingerprint", fingerprint),
    ),
    claimCodeHash: claimCode.value === null ? null : await hashClaimCode(context, claimCode.value),
    credential: { secretHash: secretHash.encode("device-secret", deviceSecret), epoch: 1 },
    configOverrides: { values: {}, revision: 0 },
    registeredAt: now,
  };
  const outcome = await store.devices.register({
    device,
    event: {
      kind: "device.registered",
      at: now,
      deviceId,
      actor: "device",
      ...origin,
      details: { hardwareId, firmwareVersion, legacy: claimCode.value === null },
    },
  });
  if (outcome.kind === "exists") return err({ code: "device_already_registered" });
  return ok({ ...(await issueToken(context, device)), deviceSecret });
}
