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
  type Flood,
  owners,
  prepareDevices,
  registering,
  strangersClaims,
  trackRequests,
} from "./flood.js";
import { createManualHash } from "./manual-hash.js";

/** Duration of a hash on the world's clock. Two run at a time. */
const hashMs = 250;
const turnMs = hashMs / 2;
/** A correct claim must be answered within 5 s. */
const maxTurns = 5_000 / turnMs;

/** Owners claim their devices with the correct code and new devices register, while others flood the queue. */
export async function claimUnderFlood(
  options: AttackOptions,
  findings: Findings,
  flood: Flood,
  rounds: number,
  dice: Dice,
): Promise<ReportLine> {
  const { seed, plants, store } = options;
  const storage = await createStorage(store);
  await prepareDevices(storage, options, flood);
  const manualHash = createManualHash();
  const { slowHash } = manualHash;
  const world = await openWorld({
    storage,
    seed,
    plants,
    clock: createFakeClock(),
    options: { slowHash, limits: { hashesQueued: 32 } },
  });
  const tracker = trackRequests(world, manualHash);
  const strangers = await strangersClaims(world, flood);
  const crowd = createCrowd(tracker, flood, strangers);
  const turn = async () => {
    crowd();
    await tracker.untilQuiet();
    world.clock.advance(turnMs);
    manualHash.finishOne();
    await tracker.untilQuiet();
  };
  let worst = 0;
  const expectAnswer = async (what: string, request: WorldRequest, status: number) => {
    let reply: WorldReply | undefined;
    // The other clients are faster: they refill the queue before this request arrives.
    crowd();
    await tracker.untilQuiet();
    tracker.send(request, (answer) => {
      reply = answer;
    });
    let turns = 0;
    await tracker.untilQuiet();
    for (; reply === undefined && turns <= maxTurns; turns++) await turn();
    worst = Math.max(worst, turns);
    if (reply?.status !== status || turns > maxTurns) {
      const got = reply === undefined ? "nothing" : `${reply.status} ${reply.body.slice(0, 160)}`;
      findings.add(`${flood.what}: ${what} gets ${got} after ${turns} hashes of other clients`);
    }
  };
  for (let n = 0; n < 20; n++) await turn();
  for (let n = 0; n < rounds; n++) {
    for (let pause = dice.int(6); pause > 0; pause--) await turn();
    const [who, deviceId] = [`owner-${n % owners}`, `home${n % owners}`];
    await expectAnswer("an owner's correct claim", await claiming(world, who, deviceId), 200);
    if (!flood.refusesDevices) {
      await expectAnswer("a new device", registering(`new${n}`, `192.0.2.${100 + n}`), 201);
    }
    const token = await world.issuer.tokenOf(customer(who));
    await world.send({ method: "DELETE", path: `/user/devices/${deviceId}/claim`, token });
  }
  do await tracker.untilQuiet();
  while (manualHash.finishOne());
  await world.close();
  await storage.remove();
  return {
    what: `correct claims${flood.refusesDevices ? "" : " and new devices"}, while ${flood.what}`,
    rounds,
    result: `answered after at most ${worst} hashes`,
    bar: `none refused; at most ${maxTurns}, 5 s at ${hashMs} ms each`,
  };
}
