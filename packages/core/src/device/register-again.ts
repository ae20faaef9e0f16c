import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import { matchSecret } from "../auth/match-secret.js";
import { registrationBudgets } from "../budget/attempt-budgets.js";
import { guardAttempt } from "../budget/guard-attempt.js";
import {
  claimCodeMatches,
  decideByClaimCode,
  hashClaimCode,
  isCurrentHash,
} from "../claim/claim-code-hash.js";
import type { GatewayContext } from "../context.js";
import { recordImpliedReports } from "../ota/update/implied-reports.js";
import { registrationRequester } from "../slow-hash/hash-requester.js";
import { addressName } from "../throttle/address-name.js";
import type { RegistrationFacts } from "./decide-registration.js";
import type { Device } from "./device.js";
import { onHardware, updateProfile } from "./device-profile.js";
import { issueToken } from "./issue-token.js";
import { makeCredential } from "./make-credential.js";
import {
  admitDevice,
  type RegisterFailure,
  type RegistrationInput,
  type RegistrationOutcome,
} from "./registration.js";
import { inSitesTurn } from "./registration-turn.js";

/** Collects what is known before the claim code is checked. */
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

const refused = err({ code: "device_already_registered" } as const);

/**
 * Applies the registration policy. Returns the facts that it accepted. The claim code is checked only if a correct code
 * could change the decision. The hardware of the request changes neither whether the code is checked nor how long that
 * takes, so that the time reveals nothing: every refusal after a check costs one slow hash and one attempt.
 */
async function checkProof(
  context: GatewayContext,
  device: Device,
  facts: RegistrationFacts,
  { request, claimCode, origin }: RegistrationInput,
): Promise<Result<RegistrationFacts, RegisterFailure>> {
  const { limits } = context;
  const { registrationPolicy } = context.policies;
  if (facts.revoked) return refused;
  if (registrationPolicy(facts)) return ok(facts);
  const couldHelp = [true, false].some((sameHardware) =>
    registrationPolicy({ ...facts, codeMatches: true, sameHardware }),
  );
  if (claimCode === null || facts.legacy || !couldHelp) return refused;

  const { deviceId } = request;
  const { clientAddress } = origin;
  const budgets = registrationBudgets(limits, addressName(clientAddress), deviceId);
  const stored = device.claimCodeSpent ? null : device.claimCodeHash;
  return guardAttempt(
    context,
    { at: "register", budgets, deviceId, actor: "device", origin },
    async () => {
      const requester = registrationRequester(clientAddress);
      const check = { deviceId, code: claimCode, stored };
      const isAccepted = await decideByClaimCode(context, requester, check, (codeMatches) =>
        registrationPolicy({ ...facts, codeMatches }),
      );
      // Without a correct code, the policy has refused above.
      return isAccepted ? ok({ ...facts, codeMatches: true }) : refused;
    },
  );
}

/**
 * Returns the claim code that the device has from now on. A different code replaces the stored one only if the
 * device proved itself with its secret and has no owner. A legacy device without an owner gets its first code. A code
 * that was hashed at another cost is hashed again.
 */
async function nextClaimCode(
  context: GatewayContext,
  device: Device,
  facts: RegistrationFacts,
  { claimCode, origin }: RegistrationInput,
): Promise<Pick<Device, "claimCodeHash" | "claimCodeSpent">> {
  const { deviceId, claimCodeHash, claimCodeSpent } = device;
  const kept = { claimCodeHash, claimCodeSpent };
  const mayReplace = (facts.secretMatches || facts.legacy) && !facts.owned;
  if (claimCode === null || !(mayReplace || facts.codeMatches)) return kept;
  const requester = registrationRequester(origin.clientAddress);
  const check = { deviceId, code: claimCode, stored: claimCodeHash };
  const isSame = facts.codeMatches || (await claimCodeMatches(context, requester, check));
  if (isSame && isCurrentHash(context, claimCode, claimCodeHash)) return kept;
  const fresh = await hashClaimCode(context, requester, deviceId, claimCode);
  return { claimCodeHash: fresh, claimCodeSpent: isSame && claimCodeSpent };
}

/** Returns the proof that the security event names. */
function proofOf({ secretMatches, codeMatches }: RegistrationFacts): string {
  if (secretMatches) return "secret";
  return codeMatches ? "claim code" : "policy";
}

/** Registers a known device again, if it proves its identity (§1). */
export async function registerAgain(
  context: GatewayContext,
  device: Device,
  input: RegistrationInput,
): Promise<RegistrationOutcome> {
  const { store, deviceCache, secretHash, clock } = context;
  const { request, origin } = input;
  const { deviceId, revision } = device;

  const facts = factsOf(context, device, input);
  const proven = await checkProof(context, device, facts, input);
  if (proven.isErr()) return err(proven.error);
  const admitted = await admitDevice(context, input, proven.value);
  if (admitted.isErr()) return err(admitted.error);

  const { credential, deviceSecret } = makeCredential(context, device);
  const { hardwareId, firmwareVersion } = request;
  const base = facts.secretMatches ? onHardware(device.profile, hardwareId) : device.profile;
  const profile = updateProfile(base, request, (fingerprint) =>
    secretHash.encode("hardware-fingerprint", fingerprint),
  );
  const claimCode = await nextClaimCode(context, device, proven.value, input);
  const event = makeEvent({
    kind: "device.registered_again",
    at: clock.now(),
    deviceId,
    actor: "device",
    origin,
    details: { firmwareVersion, proof: proofOf(proven.value) },
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
  // The device may have given this request up and registered again. Then this one must not replace that credential.
  await input.turn();
  // Before the rotation: after it, a failure would withhold the only response with the new secret.
  await recordImpliedReports(context, device, firmwareVersion, origin);
  const rotate = () => deviceCache.change(deviceId, () => store.devices.rotate(rotation));
  const outcome = await inSitesTurn(context, input, rotate);
  if (outcome.kind === "conflict") return "changed";
  context.events.announce(event);
  const answer = await issueToken(context, { ...device, profile }, credential);
  return ok({ isNew: false, answer: { ...answer, deviceSecret } });
}
