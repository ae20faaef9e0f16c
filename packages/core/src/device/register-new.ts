import { err, ok } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { hashClaimCode } from "../claim/claim-code-hash.js";
import type { GatewayContext } from "../context.js";
import { newDeviceOta } from "../ota/offer/device-ota.js";
import { registrationRequester } from "../slow-hash/hash-requester.js";
import type { Device } from "./device.js";
import { plainProfile, updateProfile } from "./device-profile.js";
import { issueToken } from "./issue-token.js";
import { makeCredential } from "./make-credential.js";
import { admitDevice, type RegistrationInput, type RegistrationOutcome } from "./registration.js";
import { inSitesTurn } from "./registration-turn.js";

/** Registers a device whose id is not registered. */
export async function registerNew(
  context: GatewayContext,
  input: RegistrationInput,
): Promise<RegistrationOutcome> {
  const admitted = await admitDevice(context, input, null);
  if (admitted.isErr()) return err(admitted.error);
  const { request, claimCode, origin } = input;
  const { store, secretHash, clock, deviceCache } = context;
  const { deviceId, hardwareId, firmwareVersion } = request;
  const now = clock.now();
  const requester = registrationRequester(origin.clientAddress);
  const { credential, deviceSecret } = makeCredential(context, null);
  const device: Device = {
    deviceId,
    // Revisions do not start at 1, so that a transition that was decided for an erased device with this id does not
    // match.
    revision: now,
    profile: updateProfile(plainProfile(hardwareId, firmwareVersion), request, (fingerprint) =>
      secretHash.encode("hardware-fingerprint", fingerprint),
    ),
    claimCodeHash:
      claimCode === null ? null : await hashClaimCode(context, requester, deviceId, claimCode),
    claimCodeSpent: false,
    credential,
    pendingCredential: null,
    configOverrides: { values: {}, revision: 0 },
    name: null,
    ownership: null,
    ownedBefore: false,
    reEnrolmentUntil: null,
    registeredAt: now,
    firstUsedAt: null,
    revokedAt: null,
    lastSeenAt: null,
    lastTelemetryAt: null,
    otaFingerprint: null,
    commandsWaiting: false,
    ota: newDeviceOta,
  };
  const event = makeEvent({
    kind: "device.registered",
    at: now,
    deviceId,
    actor: "device",
    origin,
    details: { hardwareId, firmwareVersion, legacy: claimCode === null },
  });
  const register = () => store.devices.register({ device, event });
  // A lookup of this id that began before must not answer the new device's first request.
  const outcome = await inSitesTurn(context, input, () => deviceCache.write(deviceId, register));
  switch (outcome.kind) {
    case "registered": {
      context.events.announce(event);
      const answer = await issueToken(context, device, credential);
      return ok({ isNew: true, answer: { ...answer, deviceSecret } });
    }
    case "exists":
      return "changed";
    case "blocked":
      return err({ code: "device_already_registered" });
  }
}
