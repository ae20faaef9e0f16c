import type { Dice } from "../dice.js";
import type { WorldReply, WorldRequest } from "../world.js";
import { type House, hardwareId, registration, type Town } from "./town.js";
import type { WrongTry } from "./try-log.js";

/** What hears of the answers: the log of wrong guesses, and what must not be. */
export interface Ledger {
  readonly claims: WrongTry[];
  readonly registrations: WrongTry[];
  /** Slow hashes that the answers account for. */
  hashes: number;
  refused: number;
  /** Claims and registrations by right that were answered as they must be. */
  letIn: number;
  found(what: string): void;
}

/** A request, and what its answer means. */
export interface Move {
  readonly request: WorldRequest;
  judge(reply: WorldReply, now: number, ledger: Ledger): void;
}

const describe = ({ status, body }: WorldReply) => `${status} ${body.slice(0, 160)}`;
const isCode = ({ body }: WorldReply, code: string) => body.includes(`"code":"${code}"`);

/** A few guessers and devices get most of it, so that budgets are reached. */
const pickHot = <Item>(items: readonly Item[], hot: number, dice: Dice): Item =>
  dice.chance(0.6) ? dice.pick(items.slice(0, hot)) : dice.pick(items);

async function guessClaim(town: Town, house: House, who: string, dice: Dice): Promise<Move> {
  const { deviceId, kind } = house;
  const proof = kind === "legacy" ? { deviceSecret: dice.code(43) } : { claimCode: dice.code(8) };
  return {
    request: {
      method: "POST",
      path: "/user/devices/claim",
      token: await town.tokenOf(who),
      body: { deviceId, ...proof },
      address: dice.pick(town.addresses),
    },
    judge(reply, at, ledger) {
      if (reply.status === 429) ledger.refused++;
      else if (reply.status === 401 && isCode(reply, "invalid_claim")) {
        ledger.claims.push({ at, who, deviceId });
        ledger.hashes++;
      } else ledger.found(`a wrong guess at ${deviceId} gets ${describe(reply)}`);
    },
  };
}

function guessRegistration(town: Town, { deviceId, code }: House, dice: Dice): Move {
  const who = pickHot(town.addresses, 16, dice);
  // On other hardware even the right code is a wrong guess, and costs what any wrong one costs.
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
    judge(reply, at, ledger) {
      if (reply.status === 429) ledger.refused++;
      else if (reply.status === 409) {
        ledger.registrations.push({ at, who, deviceId });
        ledger.hashes++;
      } else ledger.found(`a wrong code at register, ${deviceId}, gets ${describe(reply)}`);
    },
  };
}

function guessSecret(town: Town, { deviceId }: House, dice: Dice): Move {
  return {
    request: {
      method: "POST",
      path: "/device/login",
      body: { deviceId, deviceSecret: dice.code(43) },
      address: dice.pick(town.addresses),
    },
    judge(reply, _, ledger) {
      if (reply.status === 429) ledger.refused++;
      else if (reply.status !== 401) ledger.found(`a wrong secret gets ${describe(reply)}`);
    },
  };
}

/** What strangers try. */
export async function guess(town: Town, dice: Dice): Promise<Move> {
  const house = pickHot(town.houses, 4, dice);
  const roll = dice.next();
  if (roll < 0.05) return guessSecret(town, house, dice);
  if (roll < 0.5 && house.kind === "open") return guessRegistration(town, house, dice);
  return guessClaim(town, house, pickHot(town.accounts, 6, dice), dice);
}

/** The owner mistypes. They have three tries of their own an hour, and leave one for the right code. */
export const mistype = (town: Town, house: House, dice: Dice): Promise<Move> =>
  guessClaim(town, house, house.ownerId, dice);

const mustGet =
  (what: string, status: number, hashes: number): Move["judge"] =>
  (reply, at, ledger) => {
    ledger.hashes += hashes;
    if (reply.status === status) ledger.letIn++;
    else ledger.found(`${what} at ${at} gets ${describe(reply)}`);
  };

/** The owner claims with the right code, whatever strangers did. */
export async function claimRightly(
  town: Town,
  { deviceId, code, ownerId, ownAddress }: House,
): Promise<Move> {
  return {
    request: {
      method: "POST",
      path: "/user/devices/claim",
      token: await town.tokenOf(ownerId),
      body: { deviceId, claimCode: code },
      address: ownAddress,
    },
    judge: mustGet(`${deviceId}: its owner's right code`, 200, 1),
  };
}

export async function release(town: Town, { deviceId, ownerId }: House): Promise<Move> {
  const token = await town.tokenOf(ownerId);
  const request = { method: "DELETE", path: `/user/devices/${deviceId}/claim`, token };
  return { request, judge: mustGet(`${deviceId}: releasing`, 204, 0) };
}

/** The device itself: by secret, which no budget bounds, or by the label after a factory reset. */
export function comeBack(house: House, by: "secret" | "code" | "login"): Move {
  const { deviceId, deviceSecret, ownAddress: address } = house;
  const request = { method: "POST", path: "/device/register", address };
  const what = `${deviceId}: the device itself, by ${by},`;
  switch (by) {
    case "login":
      return {
        request: { ...request, path: "/device/login", body: { deviceId, deviceSecret } },
        judge: mustGet(what, 200, 0),
      };
    case "secret":
      // Its code is compared as well, to see whether it brings another one.
      return {
        request: { ...request, body: { ...registration(house), deviceSecret } },
        judge: mustGet(what, 200, 1),
      };
    case "code":
      return { request: { ...request, body: registration(house) }, judge: mustGet(what, 200, 1) };
  }
}
