import type { Dice } from "../dice.js";
import type { Burst, GatewayGroup } from "./gateway-group.js";
import {
  authenticateDevice,
  claimWithCode,
  type GuessLog,
  guess,
  type JudgedRequest,
  mistype,
  release,
} from "./requests.js";
import type { Scene, Target } from "./scene.js";

const minute = 60_000;
const hour = 60 * minute;

/** When owners mistyped, so that they never use up their own three attempts. */
type Mistypes = Map<string, number[]>;

async function pickValid(scene: Scene, now: number, mistypes: Mistypes, dice: Dice) {
  const target: Target = dice.pick(
    scene.targets.filter(({ kind }) => kind === "closed" || kind === "open"),
  );
  if (target.kind === "open") {
    return { now: [authenticateDevice(target, dice.pick(["secret", "code", "login"]))], next: [] };
  }
  const recent = (mistypes.get(target.deviceId) ?? []).filter((at) => at > now - hour);
  if (recent.length < 2 && dice.chance(0.4)) {
    mistypes.set(target.deviceId, [...recent, now]);
    return { now: [await mistype(scene, target, dice)], next: [] };
  }
  return { now: [await claimWithCode(scene, target)], next: [await release(scene, target)] };
}

/** Returns a pause before the next burst: mostly short, so that windows fill; sometimes long, so that they empty. */
const pause = (dice: Dice): number =>
  dice.chance(0.7)
    ? 1 + dice.int(90_000)
    : dice.chance(0.8)
      ? 2 * minute + dice.int(14 * minute)
      : dice.pick([15 * minute, hour - 1, hour, hour + 1]);

/** Distributes requests over the gateways, sends them all at once, and judges the responses. */
async function sendAndJudge(
  group: GatewayGroup,
  requests: readonly JudgedRequest[],
  now: number,
  maintain: boolean,
  log: GuessLog,
) {
  const shares = Array.from({ length: group.size }, (_, n) =>
    requests.filter((_request, place) => place % group.size === n),
  );
  const bursts = shares.map(
    (share, n): Burst => ({
      now,
      requests: share.map(({ request }) => request),
      maintain: maintain && n === 0,
    }),
  );
  const answers = await group.send(bursts);
  for (const [n, { replies }] of answers.entries()) {
    for (const [place, reply] of replies.entries()) shares[n]?.[place]?.judge(reply, now, log);
  }
  return answers.reduce((sum, { slowHashes }) => sum + slowHashes, 0);
}

export interface BurstOptions {
  readonly bursts: number;
  readonly burstSize: number;
  readonly startAt: number;
  readonly progress?: ((done: number, of: number) => void) | undefined;
}

/** Sends bursts of guesses, and valid requests of owners and devices among them. Returns the number of requests. */
export async function guessInBursts(
  group: GatewayGroup,
  scene: Scene,
  log: GuessLog,
  dice: Dice,
  { bursts, burstSize, startAt, progress }: BurstOptions,
): Promise<number> {
  const mistypes: Mistypes = new Map();
  let now = startAt;
  let sent = 0;
  const hashesBefore = await sendAndJudge(group, [], now, false, log);
  for (let n = 0; n < bursts; n++) {
    const valid = dice.chance(0.5)
      ? await pickValid(scene, now, mistypes, dice)
      : { now: [], next: [] };
    const requests: JudgedRequest[] = [];
    for (let count = 0; count < burstSize; count++) requests.push(await guess(scene, dice));
    requests.splice(dice.int(requests.length), 0, ...valid.now);
    await sendAndJudge(group, requests, now, dice.chance(0.05), log);
    const hashes = await sendAndJudge(group, valid.next, now, false, log);
    sent += requests.length + valid.next.length;
    if (hashes - hashesBefore !== log.hashes) {
      log.found(
        `${hashes - hashesBefore} codes were checked, but the responses account for ${log.hashes}`,
      );
      return sent;
    }
    now += pause(dice);
    progress?.(n + 1, bursts);
  }
  return sent;
}
