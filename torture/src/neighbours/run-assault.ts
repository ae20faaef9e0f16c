import { setTimeout as wait } from "node:timers/promises";
import type { Tally } from "./attacker/tally.js";
import type { HonestSample } from "./honest-load.js";
import { boundsOfShare, type Cost, excessesOf, refusalsOf } from "./judge.js";
import type { Assault } from "./requests/assault.js";
import type { TestBed } from "./test-bed.js";

/** What was measured during an attack. */
export interface Seen {
  readonly samples: readonly HonestSample[];
  /** Violations of the bounds, except response times. */
  readonly found: readonly string[];
  /** What would be a violation in an attack of the full time, if it goes on in the same way. */
  readonly suspicious: readonly string[];
  readonly tally: Tally;
  readonly peakRssMiB: number;
}

/** Measurements of honest requests without an attack. */
export interface Quiet {
  readonly samples: readonly HonestSample[];
  readonly bytesPerRequest: number;
}

export async function runQuiet(
  { server }: TestBed,
  load: () => Promise<readonly HonestSample[]>,
): Promise<Quiet> {
  const before = await server.storageUse();
  const samples = await load();
  const after = await server.storageUse();
  const bytesPerRequest = Math.max(0, after.bytes - before.bytes) / Math.max(1, samples.length);
  return { samples, bytesPerRequest };
}

const heapTries = 10;
const heapPauseMs = 500;

/** In the short form, a heap that has shrunk by less than 1 MiB this many times in a row is settled. */
const mostFlat = 2;

/** Returns the heap growth in MiB after the server has finished the attacker's requests. */
async function settledHeap(
  { long, server: { heapMiB } }: TestBed,
  before: number,
  most: number,
): Promise<number> {
  let growth = (await heapMiB()) - before;
  let flat = 0;
  for (let n = 1; n < heapTries && growth > most && (long || flat < mostFlat); n++) {
    await wait(heapPauseMs);
    const next = (await heapMiB()) - before;
    flat = Math.abs(growth - next) < 1 ? flat + 1 : 0;
    growth = next;
  }
  return growth;
}

/** Attacks the server while `beside` sends honest requests, for a share of the full time. Measures the cost. */
export async function runAssault(
  bed: TestBed,
  assault: Assault,
  { bytesPerRequest }: Quiet,
  beside: (isSpent: () => boolean) => Promise<readonly HonestSample[]>,
  share = 1,
): Promise<Seen> {
  const { server } = bed;
  const start = await bed.prepareAttacker(assault);
  const heapBefore = await server.heapMiB();
  const before = await server.storageUse();
  server.forgetPeak();
  const attacker = await start();
  const samples = await beside(attacker.isSpent);
  const peakRssMiB = server.peakRssMiB();
  const tally = await attacker.stop();
  const found = [...refusalsOf(samples)];
  if (tally.requests === 0) found.push("the attacker sent nothing, so the attack proves nothing");
  if (!server.isRunning()) {
    found.push("the server exited");
    return { samples, found, suspicious: found, tally, peakRssMiB };
  }
  const reduced = boundsOfShare(share);
  const heapGrowthMiB = await settledHeap(bed, heapBefore, reduced.heapMiB);
  const after = await server.storageUse();
  const cost: Cost = {
    ...{ tally, connections: attacker.connections, before, after, heapGrowthMiB, peakRssMiB },
    honestBytes: bytesPerRequest * samples.length,
    honestRequests: samples.length,
  };
  return {
    ...{ samples, tally, peakRssMiB },
    found: [...found, ...excessesOf(cost)],
    suspicious: [...found, ...excessesOf(cost, reduced)],
  };
}
