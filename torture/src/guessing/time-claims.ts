import { systemClock } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import type { AttackOptions } from "../attack.js";
import { customer } from "../issuer.js";
import type { ReportLine } from "../report.js";
import { createStorage } from "../storage.js";
import { productionOptions } from "../timing/scene.js";
import { need, openWorld } from "../world.js";
import {
  claiming,
  createCrowd,
  type Flood,
  owners,
  prepareDevices,
  strangersClaims,
  trackRequests,
} from "./flood.js";

const { scryptCost = { logN: 15, r: 8, p: 3 } } = productionOptions;
const topUpMs = 20;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b);
const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1000).toFixed(2)} s`;

/** Returns the median duration of a hash at production cost on an idle machine, in milliseconds. */
async function timeOneHash(): Promise<number> {
  const slowHash = createLibuvSlowHash();
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const startedAt = performance.now();
    await slowHash.derive(new Uint8Array(32), new Uint8Array(16), scryptCost);
    times.push(performance.now() - startedAt);
  }
  return sorted(times)[2] ?? 0;
}

/** Measures correct claims in real time and at production cost, while other clients flood the queue. */
export async function timeClaims(
  options: AttackOptions,
  flood: Flood,
  rounds: number,
): Promise<ReportLine> {
  const { seed } = options;
  const storage = await createStorage("memory");
  // A code is checked at the cost at which its hash was stored.
  await prepareDevices(storage, options, flood, { scryptCost });
  const hashMs = await timeOneHash();
  const world = await openWorld({
    storage,
    seed,
    options: { clock: systemClock, scryptCost, limits: { hashesQueued: 32 } },
  });
  const tracker = trackRequests(world);
  const crowd = createCrowd(tracker, flood, await strangersClaims(world, flood));
  const timer = setInterval(crowd, topUpMs);
  await pause(2_000);
  const times: number[] = [];
  let refused = 0;
  for (let n = 0; n < rounds; n++) {
    const [who, deviceId] = [`owner-${n % owners}`, `home${n % owners}`];
    const request = await claiming(world, who, deviceId);
    const startedAt = performance.now();
    const { status } = await world.send(request);
    times.push(performance.now() - startedAt);
    if (status !== 200) refused++;
    const token = await world.issuer.tokenOf(customer(who));
    const path = `/user/devices/${deviceId}/claim`;
    if (status === 200) need(await world.send({ method: "DELETE", path, token }), 204);
    await pause(500);
  }
  clearInterval(timer);
  await tracker.untilAnswered();
  await world.close();
  await storage.remove();
  const all = sorted(times);
  const result = `median ${seconds(all[Math.floor(all.length / 2)])}, worst ${seconds(all.at(-1))}, ${refused} refused`;
  return {
    what: `correct claims in real time, while ${flood.what}`,
    rounds,
    result: `${result}; one hash takes ${hashMs.toFixed(0)} ms`,
    bar: "reported only",
  };
}
