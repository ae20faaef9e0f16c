import type { Dice } from "../dice.js";
import { customer } from "../issuer.js";
import type { World, WorldRequest } from "../world.js";
import { normalise, pickCode } from "./codes.js";
import type { Victim } from "./victim.js";

/** An attacker's request, and whether it contains a valid proof. */
export interface Attempt {
  readonly request: WorldRequest;
  readonly hasProof: boolean;
}

/** The secret and token of the attacker's own device. */
export interface AttackerCredentials {
  readonly ownSecret: string;
  readonly ownToken: string;
}

function pickSecret(
  victim: Victim,
  { ownSecret, ownToken }: AttackerCredentials,
  dice: Dice,
): unknown {
  const current = victim.secrets[0] ?? "";
  const at = dice.int(current.length);
  return dice.pick<() => unknown>([
    () => undefined,
    () => undefined,
    () => ownSecret,
    () => ownToken,
    () => victim.tokens.at(-1),
    () => victim.deadSecrets[dice.int(victim.deadSecrets.length || 1)],
    () => current.slice(0, at) + (current[at] === "A" ? "B" : "A") + current.slice(at + 1),
    () => current.slice(0, -1),
    () => `${current}A`,
    () => current.toUpperCase(),
    () => "",
    () => null,
    () => true,
    () => [current],
  ])();
}

const isText = (value: unknown) => value === undefined || typeof value === "string";
/** Whether the value is short enough for a code or a secret. A token is too long. */
const isShort = (value: unknown) => isText(value) && String(value ?? "").length <= 256;

const maySendNoCode = (version: string) => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major === 0 && (minor < 1 || (minor === 1 && patch < 4));
};

/** Whether a registration contains a valid proof under §1. */
function provesItself(
  victim: Victim,
  now: number,
  body: Readonly<Record<string, unknown>>,
): boolean {
  const { claimCode, deviceSecret, firmwareVersion, hardwareId, hardwareFingerprint } = body;
  const code = typeof claimCode === "string" ? normalise(claimCode) : "";
  const wellFormed =
    isShort(claimCode) &&
    isShort(deviceSecret) &&
    (code === "" && claimCode !== "----" && !claimCode
      ? maySendNoCode(String(firmwareVersion))
      : /^[A-Z0-9]{6,64}$/.test(code));
  if (!wellFormed || victim.revoked) return false;
  if (victim.secrets.some((secret) => secret === deviceSecret)) return true;
  const sameHardware =
    hardwareId === victim.hardwareId &&
    (victim.fingerprint === null || hardwareFingerprint === victim.fingerprint);
  if (!sameHardware) return false;
  if (victim.code === null) return victim.owner === null && !victim.used;
  return code === victim.code && (victim.owner === null || now < victim.windowUntil);
}

function attackRegistration(
  victim: Victim,
  attacker: AttackerCredentials,
  now: number,
  dice: Dice,
): Attempt {
  const body = {
    deviceId: victim.deviceId,
    hardwareId: dice.chance(0.8) ? victim.hardwareId : "esp32:other",
    firmwareVersion: dice.pick(["0.1.10", "0.1.4", "0.1.3", "0.0.0", "0.1.03", "1.0.0", "0.1.2"]),
    claimCode: pickCode(victim, dice),
    deviceSecret: pickSecret(victim, attacker, dice),
    hardwareFingerprint: dice.pick([victim.fingerprint ?? undefined, undefined, "unknown", "fp-x"]),
    token: victim.tokens.at(-1),
  };
  const token = dice.pick([undefined, victim.tokens.at(-1), attacker.ownToken]);
  const request = { method: "POST", path: "/device/register", body, token };
  return { request, hasProof: provesItself(victim, now, body) };
}

function attackLogin(victim: Victim, attacker: AttackerCredentials, dice: Dice): Attempt {
  const deviceSecret = pickSecret(victim, attacker, dice);
  const body = { deviceId: victim.deviceId, deviceSecret, firmwareVersion: "9.9.9" };
  const hasProof = victim.secrets.some((secret) => secret === deviceSecret);
  return { request: { method: "POST", path: "/device/login", body }, hasProof };
}

async function attackClaim(
  world: World,
  victim: Victim,
  attacker: AttackerCredentials,
  dice: Dice,
): Promise<Attempt> {
  const claimCode = pickCode(victim, dice);
  const deviceSecret = pickSecret(victim, attacker, dice);
  const { deviceId, code, owner, revoked } = victim;
  const token = await world.issuer.tokenOf(customer(`attacker-${dice.int(40)}`));
  const right =
    code === null
      ? victim.secrets.some((secret) => secret === deviceSecret)
      : typeof claimCode === "string" && normalise(claimCode) === code;
  const wellFormed = isText(deviceSecret);
  const request = {
    method: "POST",
    path: "/user/devices/claim",
    token,
    body: { deviceId, claimCode, deviceSecret },
  };
  return { request, hasProof: right && wellFormed && owner === null && !revoked };
}

async function attackDashboard(
  world: World,
  victim: Victim,
  attacker: AttackerCredentials,
  dice: Dice,
): Promise<Attempt> {
  const stranger = await world.issuer.tokenOf(customer(`attacker-${dice.int(40)}`));
  const token = dice.pick([stranger, attacker.ownToken, victim.deadSecrets[0]]);
  const own = `/dashboard/devices/${victim.deviceId}`;
  const request = dice.pick<WorldRequest>([
    { method: "DELETE", path: `/user/devices/${victim.deviceId}/claim` },
    { method: "POST", path: `${own}/re-enrolment` },
    { method: "PUT", path: own, body: { name: "mine" } },
    { method: "PUT", path: `${own}/config`, body: { otaEnabled: false } },
    { method: "POST", path: `/operator/devices/${victim.deviceId}/revoke` },
    { method: "DELETE", path: `/operator/devices/${victim.deviceId}` },
  ]);
  return { request: { ...request, token }, hasProof: false };
}

/** Picks a random attempt on a device. */
export async function pickAttempt(
  world: World,
  victim: Victim,
  attacker: AttackerCredentials,
  dice: Dice,
): Promise<Attempt> {
  const roll = dice.next();
  const attempt =
    roll < 0.5
      ? attackRegistration(victim, attacker, world.clock.now(), dice)
      : roll < 0.65
        ? attackLogin(victim, attacker, dice)
        : roll < 0.9
          ? await attackClaim(world, victim, attacker, dice)
          : await attackDashboard(world, victim, attacker, dice);
  const address = `198.51.100.${dice.int(60)}`;
  return { ...attempt, request: { ...attempt.request, address } };
}
