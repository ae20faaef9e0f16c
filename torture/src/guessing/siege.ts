import type { Dice } from "../dice.js";
import type { Burst, Front } from "./front.js";
import {
  claimRightly,
  comeBack,
  guess,
  type Ledger,
  type Move,
  mistype,
  release,
} from "./moves.js";
import type { House, Town } from "./town.js";

const minute = 60_000;
const hour = 60 * minute;

/** When owners mistyped, so that they never use up their own three tries. */
type Mistypes = Map<string, number[]>;

async function byRight(town: Town, now: number, mistypes: Mistypes, dice: Dice) {
  const house: House = dice.pick(
    town.houses.filter(({ kind }) => kind === "closed" || kind === "open"),
  );
  if (house.kind === "open") {
    return { now: [comeBack(house, dice.pick(["secret", "code", "login"]))], next: [] };
  }
  const recent = (mistypes.get(house.deviceId) ?? []).filter((at) => at > now - hour);
  if (recent.length < 2 && dice.chance(0.4)) {
    mistypes.set(house.deviceId, [...recent, now]);
    return { now: [await mistype(town, house, dice)], next: [] };
  }
  return { now: [await claimRightly(town, house)], next: [await release(town, house)] };
}

/** How time goes by: mostly so that windows fill, at times so that they empty. */
const pause = (dice: Dice): number =>
  dice.chance(0.7)
    ? 1 + dice.int(90_000)
    : dice.chance(0.8)
      ? 2 * minute + dice.int(14 * minute)
      : dice.pick([15 * minute, hour - 1, hour, hour + 1]);

/** Spreads moves over the gateways, sends them all at once, and judges the answers. */
async function play(
  front: Front,
  moves: readonly Move[],
  now: number,
  maintain: boolean,
  ledger: Ledger,
) {
  const hands = Array.from({ length: front.size }, (_, n) =>
    moves.filter((_move, place) => place % front.size === n),
  );
  const bursts = hands.map(
    (hand, n): Burst => ({
      now,
      requests: hand.map(({ request }) => request),
      maintain: maintain && n === 0,
    }),
  );
  const answers = await front.send(bursts);
  for (const [n, { replies }] of answers.entries()) {
    for (const [place, reply] of replies.entries()) hands[n]?.[place]?.judge(reply, now, ledger);
  }
  return answers.reduce((sum, { slowHashes }) => sum + slowHashes, 0);
}

export interface SiegeOptions {
  readonly bursts: number;
  readonly burstSize: number;
  readonly startAt: number;
  readonly progress?: ((done: number, of: number) => void) | undefined;
}

/** Strangers guess in bursts while owners and devices come and go; gives back how many requests. */
export async function besiege(
  front: Front,
  town: Town,
  ledger: Ledger,
  dice: Dice,
  { bursts, burstSize, startAt, progress }: SiegeOptions,
): Promise<number> {
  const mistypes: Mistypes = new Map();
  let now = startAt;
  let sent = 0;
  const hashesBefore = await play(front, [], now, false, ledger);
  for (let n = 0; n < bursts; n++) {
    const right = dice.chance(0.5)
      ? await byRight(town, now, mistypes, dice)
      : { now: [], next: [] };
    const moves: Move[] = [];
    for (let count = 0; count < burstSize; count++) moves.push(await guess(town, dice));
    moves.splice(dice.int(moves.length), 0, ...right.now);
    await play(front, moves, now, dice.chance(0.05), ledger);
    const hashes = await play(front, right.next, now, false, ledger);
    sent += moves.length + right.next.length;
    if (hashes - hashesBefore !== ledger.hashes) {
      ledger.found(`${hashes - hashesBefore} codes were checked, ${ledger.hashes} answers say so`);
      return sent;
    }
    now += pause(dice);
    progress?.(n + 1, bursts);
  }
  return sent;
}
