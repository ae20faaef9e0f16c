import { createFakeClock } from "@device-gateway/testing";
import type { AttackOptions, Findings } from "../attack.js";
import type { Dice } from "../dice.js";
import { customer } from "../issuer.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { openWorld, type WorldReply, type WorldRequest } from "../world.js";
import {
  claiming,
  createCrowd,
  type Jam,
  openStreet,
  owners,
  registering,
  settle,
  strangersClaims,
} from "./jam.js";
import { createTurnstile } from "./turnstile.js";

/** How long a hash takes here, by the clock of the world; two run at a time. */
const hashMs = 250;
const turnMs = hashMs / 2;
/** A right claim is answered within 5 s. */
const barTurns = 5_000 / turnMs;

/** Customers claim their devices by right, and a device registers, while strangers jam the queue. */
export async function holdUp(
  options: AttackOptions,
  findings: Findings,
  jam: Jam,
  rounds: number,
  dice: Dice,
): Promise<ReportLine> {
  const { seed, plants, store } = options;
  const storage = await createStorage(store);
  await settle(storage, options, jam);
  const turnstile = createTurnstile();
  const { slowHash } = turnstile;
  const world = await openWorld({
    storage,
    seed,
    plants,
    clock: createFakeClock(),
    options: { slowHash, limits: { hashesQueued: 32 } },
  });
  const street = openStreet(world, turnstile);
  const strangers = await strangersClaims(world, jam);
  const crowd = createCrowd(street, jam, strangers);
  const turn = async () => {
    crowd();
    await street.rest();
    world.clock.advance(turnMs);
    turnstile.letOneThrough();
    await street.rest();
  };
  let worst = 0;
  const expectAnswer = async (what: string, request: WorldRequest, status: number) => {
    let reply: WorldReply | undefined;
    // Strangers are faster: whatever place the last hash left is taken.
    crowd();
    await street.rest();
    street.send(request, (answer) => {
      reply = answer;
    });
    let turns = 0;
    await street.rest();
    for (; reply === undefined && turns <= barTurns; turns++) await turn();
    worst = Math.max(worst, turns);
    if (reply?.status !== status || turns > barTurns) {
      const got = reply === undefined ? "nothing" : `${reply.status} ${reply.body.slice(0, 160)}`;
      findings.add(`${jam.what}: ${what} gets ${got} after ${turns} hashes of others`);
    }
  };
  for (let n = 0; n < 20; n++) await turn();
  for (let n = 0; n < rounds; n++) {
    for (let pause = dice.int(6); pause > 0; pause--) await turn();
    const [who, deviceId] = [`owner-${n % owners}`, `home${n % owners}`];
    await expectAnswer("an owner's right claim", await claiming(world, who, deviceId), 200);
    if (!jam.refusesDevices) {
      await expectAnswer("a new device", registering(`new${n}`, `192.0.2.${100 + n}`), 201);
    }
    const token = await world.issuer.tokenOf(customer(who));
    await world.send({ method: "DELETE", path: `/user/devices/${deviceId}/claim`, token });
  }
  do await street.rest();
  while (turnstile.letOneThrough());
  await world.close();
  await storage.remove();
  return {
    what: `right claims${jam.refusesDevices ? "" : " and new devices"}, while ${jam.what}`,
    rounds,
    result: `worst: answered after ${worst} hashes`,
    bar: `none refused; at most ${barTurns}, 5 s at ${hashMs} ms each`,
  };
}
