import { serveInProcess } from "../wire/world/serve-in-process.js";
import { openWireWorld, type WireSetup } from "../wire/world/wire-world.js";
import type { GrowthCase } from "./growth-case.js";
import { countBytes } from "./growth-world.js";

/** Opens the store under test and returns its size on disk, in bytes after a checkpoint. */
export interface GrowthSetup {
  openStore: WireSetup["openStore"];
  bytesOnDisk(): Promise<number>;
}

export interface Growth {
  readonly sentBytes: number;
  readonly requests: number;
  readonly refused: number;
  readonly storedBytes: number;
}

/** The first requests are not measured, because they allocate the first pages of the tables. */
const warmUp = 4;
/** After this time the throttles that the first requests used are full again. */
const restMs = 600_000;

/** Runs an attack, rolls up its records, and returns by how many bytes the store has grown. */
export async function measureGrowth(
  { openStore, bytesOnDisk }: GrowthSetup,
  { options, requests, stepMs, prepare }: GrowthCase,
): Promise<Growth> {
  const world = await openWireWorld({ openStore, serve: serveInProcess }, options);
  const rollUp = async () => {
    const input = { before: world.clock.now(), limit: 500 };
    for (;;) if (!(await world.store.telemetry.rollUp(input)).more) break;
  };
  try {
    const { sent, ...counted } = countBytes(world);
    const send = await prepare({ ...counted, sent });
    for (let n = 0; n < warmUp; n++) await send(n);
    await rollUp();
    world.clock.advance(restMs);
    Object.assign(sent, { bytes: 0, requests: 0, refused: 0 });
    const before = await bytesOnDisk();
    for (let n = warmUp; n < warmUp + requests; n++) {
      await send(n);
      world.clock.advance(stepMs);
    }
    await rollUp();
    const storedBytes = (await bytesOnDisk()) - before;
    return { sentBytes: sent.bytes, requests: sent.requests, refused: sent.refused, storedBytes };
  } finally {
    await world.close();
  }
}
