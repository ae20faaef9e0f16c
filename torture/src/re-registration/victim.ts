import type { Dice } from "../dice.js";
import { customer } from "../issuer.js";
import { need, needText, type World, type WorldReply } from "../world.js";

/** The expected state of a device, computed independently of the gateway. */
export interface Victim {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly fingerprint: string | null;
  /** The claim code without separators. Null for a legacy device. */
  readonly code: string | null;
  /** The device's secrets: the current one, then a pending one. */
  secrets: string[];
  /** Former secrets, which the attacker knows. */
  readonly deadSecrets: string[];
  readonly tokens: string[];
  owner: string | null;
  windowUntil: number;
  revoked: boolean;
  used: boolean;
}

const dayMs = 86_400_000;

const post = (world: World, path: string, body: object, more: object = {}) =>
  world.send({ method: "POST", path, body, ...more });

export async function createVictim(world: World, dice: Dice, n: number): Promise<Victim> {
  const legacy = dice.chance(0.25);
  const victim: Victim = {
    deviceId: `gw-${n}-${dice.code(4)}`,
    hardwareId: "esp32:devkit-v1",
    fingerprint: dice.chance(0.4) ? `fp-${dice.code(8)}` : null,
    code: legacy ? null : dice.code(dice.pick([6, 8, 12])),
    secrets: [],
    deadSecrets: [],
    tokens: [],
    owner: null,
    windowUntil: 0,
    revoked: false,
    used: false,
  };
  const reply = need(await registerGenuinely(world, victim), 201);
  victim.secrets = [needText(reply, "deviceSecret")];
  // §1: anyone on the same hardware may register a legacy device that was never used.
  if (legacy || dice.chance(0.7)) await logIn(world, victim);
  return victim;
}

/** Registers as the device itself. */
function registerGenuinely(world: World, victim: Victim, proof: object = {}) {
  const { deviceId, hardwareId, fingerprint, code } = victim;
  return post(world, "/device/register", {
    deviceId,
    hardwareId,
    ...(fingerprint !== null && { hardwareFingerprint: fingerprint }),
    ...(code === null
      ? { firmwareVersion: "0.1.2" }
      : { firmwareVersion: "0.1.10", claimCode: code }),
    ...proof,
  });
}

/** The device logs in with its current secret and uses the token. Returns what is wrong, or null. */
export async function logIn(world: World, victim: Victim): Promise<string | null> {
  const [deviceSecret] = victim.secrets;
  const { deviceId } = victim;
  const reply = await post(world, "/device/login", { deviceId, deviceSecret });
  if (reply.status !== 200) return `its own secret gets ${reply.status} at login`;
  const token = needText(reply, "token");
  victim.tokens.push(token);
  victim.used = true;
  const { status } = await world.send({ method: "GET", path: "/device/config", token });
  return status === 200 ? null : `its own fresh token gets ${status}`;
}

/** Registers again with the secret. Then uses the new secret, or loses the response. */
async function rotate(world: World, victim: Victim, dice: Dice): Promise<WorldReply> {
  const [deviceSecret = ""] = victim.secrets;
  const reply = await registerGenuinely(world, victim, { deviceSecret });
  if (reply.status !== 200) return reply;
  const next = needText(reply, "deviceSecret");
  const pending = victim.secrets[1];
  if (pending !== undefined) victim.deadSecrets.push(pending);
  if (dice.chance(0.5)) {
    // The response was lost, so the current secret must still work.
    victim.secrets = [deviceSecret, next];
    return reply;
  }
  victim.deadSecrets.push(deviceSecret);
  victim.secrets = [next];
  await logIn(world, victim);
  return reply;
}

/** Registers after a factory reset, with the code on the label as proof. */
async function recover(world: World, victim: Victim): Promise<WorldReply> {
  const reply = await registerGenuinely(world, victim);
  if (reply.status !== 200) return reply;
  victim.deadSecrets.push(...victim.secrets);
  victim.secrets = [needText(reply, "deviceSecret")];
  victim.windowUntil = 0;
  await logIn(world, victim);
  return reply;
}

/** Makes the device do one random thing that it may do, such as registering again. Returns what is wrong, or null. */
export async function liveOn(world: World, victim: Victim, dice: Dice): Promise<string | null> {
  const { deviceId, code } = victim;
  const now = world.clock.now();
  const tokenOf = (id: string, roles: string[] = []) =>
    world.issuer.tokenOf(customer(id, { roles }));
  const wanted = (what: string, { status, body }: WorldReply, ...statuses: number[]) =>
    statuses.includes(status) ? null : `${what} gets ${status}: ${body.slice(0, 160)}`;
  const operator = await tokenOf("op-1", ["operator"]);
  const event = dice.pick([
    "log in",
    "rotate",
    "recover",
    "claim",
    "release",
    "window",
    "revoke",
    "wait",
  ]);
  if (victim.revoked) {
    if (event !== "revoke") return null;
    const path = `/operator/devices/${deviceId}/reinstate`;
    victim.revoked = false;
    return wanted("reinstating", await world.send({ method: "POST", path, token: operator }), 200);
  }
  switch (event) {
    case "log in":
      return logIn(world, victim);
    case "rotate":
      return wanted(
        "its own secret, at registering again,",
        await rotate(world, victim, dice),
        200,
      );
    case "recover": {
      const open = code !== null && (victim.owner === null || now < victim.windowUntil);
      return open ? wanted("its own code", await recover(world, victim), 200) : null;
    }
    case "claim": {
      if (victim.owner !== null) return null;
      const id = dice.pick(["owner-1", "owner-2"]);
      const proof = code === null ? { deviceSecret: victim.secrets[0] } : { claimCode: code };
      victim.owner = id;
      victim.windowUntil = 0;
      const more = { token: await tokenOf(id) };
      return wanted(
        "the owner's claim",
        await post(world, "/user/devices/claim", { deviceId, ...proof }, more),
        200,
      );
    }
    case "release": {
      if (victim.owner === null) return null;
      const path = `/user/devices/${deviceId}/claim`;
      const token = await tokenOf(victim.owner);
      victim.owner = null;
      victim.windowUntil = 0;
      return wanted("releasing", await world.send({ method: "DELETE", path, token }), 204);
    }
    case "window": {
      const token = victim.owner === null ? operator : await tokenOf(victim.owner);
      const path = `/dashboard/devices/${deviceId}/re-enrolment`;
      victim.windowUntil = now + 15 * 60_000;
      return wanted("opening a window", await world.send({ method: "POST", path, token }), 200);
    }
    case "revoke": {
      if (dice.chance(0.7)) return null;
      victim.revoked = true;
      const path = `/operator/devices/${deviceId}/revoke`;
      return wanted("revoking", await world.send({ method: "POST", path, token: operator }), 200);
    }
    case "wait":
      world.clock.advance(dice.pick([1_000, 60_000, 14 * 60_000, 16 * 60_000, 3_700_000, dayMs]));
      return null;
  }
}
