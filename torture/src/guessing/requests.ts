import type { Dice } from "../dice.js";
import type { WorldReply, WorldRequest } from "../world.js";
import type { WrongAttempt } from "./attempt-log.js";
import { hardwareId, registration, type Scene, type Target } from "./scene.js";

/** Collects the results: checked guesses, counts and violations. */
export interface GuessLog {
  readonly claims: WrongAttempt[];
  readonly registrations: WrongAttempt[];
  /** Slow hashes that the responses account for. */
  hashes: number;
  refused: number;
  /** Valid requests that were accepted. */
  letIn: number;
  found(what: string): void;
}

/** A request with a function that judges the response. */
export interface JudgedRequest {
  readonly request: WorldRequest;
  judge(reply: WorldReply, now: number, log: GuessLog): void;
}

const describe = ({ status, body }: WorldReply) => `${status} ${body.slice(0, 160)}`;
const isCode = ({ body }: WorldReply, code: string) => body.includes(`"code":"${code}"`);

/** Picks one of the first `hot` items in 60 % of cases, so that their budgets are reached. */
const pickHot = <Item>(items: readonly Item[], hot: number, dice: Dice): Item =>
  dice.chance(0.6) ? dice.pick(items.slice(0, hot)) : dice.pick(items);

async function guessClaim(
  scene: Scene,
  target: Target,
  who: string,
  dice: Dice,
): Promise<JudgedRequest> {
  const { deviceId, kind } = target;
  const proof = kind === "legacy" ? { deviceSecret: dice.code(43) } : { claimCode: dice.code(8) };
  return {
    request: {
      method: "POST",
      path: "/user/devices/claim",
      token: await scene.tokenOf(who),
      body: { deviceId, ...proof },
      address: dice.pick(scene.addresses),
    },
    judge(reply, at, log) {
      if (reply.status === 429) log.refused++;
      else if (reply.status === 401 && isCode(reply, "invalid_claim")) {
        log.claims.push({ at, who, deviceId });
        log.hashes++;
      } else log.found(`a wrong guess at ${deviceId} gets ${describe(reply)}`);
    },
  };
}

function guessRegistration(scene: Scene, { deviceId, code }: Target, dice: Dice): JudgedRequest {
  const who = pickHot(scene.addresses, 16, dice);
  // On other hardware even the correct code counts as a wrong guess.
  const isElsewhere = dice.chance(0.4);
  const claimCode = isElsewhere && dice.chance(0.5) ? code : dice.code(8);
  return {
    request: {
      method: "POST",
      path: "/device/register",
      body: {
        deviceId,
        hardwareId: isElsewhere ? "esp32:other" : hardwareId,
        firmwareVersion: "0.1.10",
        claimCode,
      },
      address: who,
    },
    judge(reply, at, log) {
      if (reply.status === 429) log.refused++;
      else if (reply.status === 409) {
        log.registrations.push({ at, who, deviceId });
        log.hashes++;
      } else log.found(`a wrong code at register, ${deviceId}, gets ${describe(reply)}`);
    },
  };
}

function guessSecret(scene: Scene, { deviceId }: Target, dice: Dice): JudgedRequest {
  return {
    request: {
      method: "POST",
      path: "/device/login",
      body: { deviceId, deviceSecret: dice.code(43) },
      address: dice.pick(scene.addresses),
    },
    judge(reply, _, log) {
      if (reply.status === 429) log.refused++;
      else if (reply.status !== 401) log.found(`a wrong secret gets ${describe(reply)}`);
    },
  };
}

/** Returns a random wrong guess. */
export async function guess(scene: Scene, dice: Dice): Promise<JudgedRequest> {
  const target = pickHot(scene.targets, 4, dice);
  const roll = dice.next();
  if (roll < 0.05) return guessSecret(scene, target, dice);
  if (roll < 0.5 && target.kind === "open") return guessRegistration(scene, target, dice);
  return guessClaim(scene, target, pickHot(scene.accounts, 6, dice), dice);
}

/** The owner sends a wrong code. Owners have three own attempts an hour, and keep one for the correct code. */
export const mistype = (scene: Scene, target: Target, dice: Dice): Promise<JudgedRequest> =>
  guessClaim(scene, target, target.ownerId, dice);

const mustGet =
  (what: string, status: number, hashes: number): JudgedRequest["judge"] =>
  (reply, at, log) => {
    log.hashes += hashes;
    if (reply.status === status) log.letIn++;
    else log.found(`${what} at ${at} gets ${describe(reply)}`);
  };

/** The owner claims with the correct code, which must succeed whatever others have guessed. */
export async function claimWithCode(
  scene: Scene,
  { deviceId, code, ownerId, ownAddress }: Target,
): Promise<JudgedRequest> {
  return {
    request: {
      method: "POST",
      path: "/user/devices/claim",
      token: await scene.tokenOf(ownerId),
      body: { deviceId, claimCode: code },
      address: ownAddress,
    },
    judge: mustGet(`${deviceId}: its owner's correct code`, 200, 1),
  };
}

export async function release(scene: Scene, { deviceId, ownerId }: Target): Promise<JudgedRequest> {
  const token = await scene.tokenOf(ownerId);
  const request = { method: "DELETE", path: `/user/devices/${deviceId}/claim`, token };
  return { request, judge: mustGet(`${deviceId}: releasing`, 204, 0) };
}

/** The device itself authenticates: by its secret, which needs no budget, or by its code after a factory reset. */
export function authenticateDevice(target: Target, by: "secret" | "code" | "login"): JudgedRequest {
  const { deviceId, deviceSecret, ownAddress: address } = target;
  const request = { method: "POST", path: "/device/register", address };
  const what = `${deviceId}: the device itself, by ${by},`;
  switch (by) {
    case "login":
      return {
        request: { ...request, path: "/device/login", body: { deviceId, deviceSecret } },
        judge: mustGet(what, 200, 0),
      };
    case "secret":
      // The code is checked as well, because the device may have a new one.
      return {
        request: { ...request, body: { ...registration(target), deviceSecret } },
        judge: mustGet(what, 200, 1),
      };
    case "code":
      return { request: { ...request, body: registration(target) }, judge: mustGet(what, 200, 1) };
  }
}
