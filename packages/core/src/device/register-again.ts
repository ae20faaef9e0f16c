import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { registrationBudgets } from "../budget/attempt-budgets.js";
import { guardTry } from "../budget/guard-try.js";
import { claimCodeMatches, hashClaimCode } from "../claim/claim-code-hash.js";
import type { GatewayContext } from "../context.js";
import { settleUpdates } from "../ota/settle-updates.js";
import { addressName } from "../throttle/address-name.js";
import type { RegistrationFacts } from "./decide-registration.js";
import type { Device } from "./device.js";
import { onHardware, updateProfile } from "./device-profile.js";
import { issueToken } from "./issue-token.js";
import { makeCredential } from "./make-credential.js";
import { matchSecret } from "./match-secret.js";
import type { RegisterFailure, RegistrationAttempt, RegistrationInput } from "./registration.js";

/** All that is known without a look at the claim code, which is budgeted. */
function factsOf(
  { secretHash, clock }: GatewayContext,
  device: Device,
  { request }: RegistrationInput,
): RegistrationFacts {
  const { profile, reEnrolmentUntil } = device;
  const { deviceSecret, hardwareFingerprint: fingerprint = "" } = request;
  const sameFingerprint =
    profile.fingerprintHash === null ||
    secretHash.matches("hardware-fingerprint", fingerprint, profile.fingerprintHash);
  return {
    revoked: device.revokedAt !== null,
    owned: device.ownership !== null,
    windowOpen: reEnrolmentUntil !== null && clock.now() < reEnrolmentUntil,
    secretMatches:
      Boolean(deviceSecret) && matchSecret(secretHash, device, deviceSecret ?? "") !== null,
    codeMatches: false,
    sameHardware: profile.hardwareId === request.hardwareId && sameFingerprint,
    legacy: device.claimCodeHash === null,
    used: device.firstUsedAt !== null,
  };
}

/** Asks the policy; checks the claim code only where the answer depends on it. */
async function mayRegisterAgain(
  context: GatewayContext,
  device: Device,
  facts: RegistrationFacts,
  { request, claimCode, origin }: RegistrationInput,
): Promise<Result<boolean, RegisterFailure>> {
  const { policies, limits } = context;
  if (facts.revoked) return ok(false);
  if (policies.registrationPolicy(facts)) return ok(true);
  const checkable = claimCode !== null && !facts.legacy && !device.claimCodeSpent;
  if (!checkable || !policies.registrationPolicy({ ...facts, codeMatches: true })) return ok(false);

  const { deviceId } = request;
  const budgets = registrationBudgets(limits, addressName(origin.clientAddress), deviceId);
  return guardTry(
    context,
    { at: "register", budgets, deviceId, actor: "device", origin },
    () => claimCodeMatches(context, claimCode, device.claimCodeHash),
    (right) => right,
  );
}

/**
 * Only who has the secret of a device that is not owned may give it another claim code, and whoever
 * may register a legacy device again its first one.
 */
async function nextClaimCode(
  context: GatewayContext,
  device: Device,
  facts: RegistrationFacts,
  { claimCode }: RegistrationInput,
): Promise<Pick<Device, "claimCodeHash" | "claimCodeSpent">> {
  const { claimCodeHash, claimCodeSpent } = device;
  const isProven = facts.secretMatches || facts.legacy;
  const mayChange = isProven && !facts.owned && claimCode !== null;
  if (!mayChange || (await claimCodeMatches(context, claimCode, claimCodeHash))) {
    return { claimCodeHash, claimCodeSpent };
  }
  return { claimCodeHash: await hashClaimCode(context, claimCode), claimCodeSpent: false };
}

/** Registers a device that is there already, if it proves itself (contract §1). */
export async function registerAgain(
  context: GatewayContext,
  device: Device,
  input: RegistrationInput,
): Promise<RegistrationAttempt> {
  const { store, deviceCache, secretHash, clock } = context;
  const { request, origin } = input;
  const { deviceId, revision } = device;

  const facts = factsOf(context, device, input);
  const allowed = await mayRegisterAgain(context, device, facts, input);
  if (allowed.isErr()) return err(allowed.error);
  if (!allowed.value) return err({ code: "device_already_registered" });

  const { credential, deviceSecret } = makeCredential(context, device);
  const { hardwareId, firmwareVersion } = request;
  const base = facts.secretMatches ? onHardware(device.profile, hardwareId) : device.profile;
  const profile = updateProfile(base, request, (fingerprint) =>
    secretHash.encode("hardware-fingerprint", fingerprint),
  );
  const claimCode = await nextClaimCode(context, device, facts, input);
  const event = makeEvent({
    kind: "device.registered_again",
    at: clock.now(),
    deviceId,
    actor: "device",
    origin,
    details: { firmwareVersion, proof: facts.secretMatches ? "secret" : "claim code" },
  });
  const rotation = {
    deviceId,
    expectedRevision: revision,
    pending: { ...credential, isRotation: false },
    profile,
    ...claimCode,
    closeReEnrolment: !facts.secretMatches,
    event,
  };
  const outcome = await deviceCache.change(deviceId, () => store.devices.rotate(rotation));
  if (outcome.kind === "conflict") return "changed";
  context.events.announce(event);
  await settleUpdates(context, device, firmwareVersion, origin);
  const answer = await issueToken(context, { ...device, profile }, credential);
  return ok({ isNew: false, answer: { ...answer, deviceSecret } });
}
