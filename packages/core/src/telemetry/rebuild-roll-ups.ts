import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";

/** Devices that are processed in one step, and hours that are built in one step. */
const deviceStep = 100;
const hourStep = 500;

/** The roll-ups to rebuild. Default: all roll-ups of all devices. */
export interface RebuildRange {
  readonly deviceId?: string;
  /** Epoch milliseconds. Hours that overlap the range from `from` (inclusive) to `to` (exclusive) are rebuilt. */
  readonly from?: number;
  readonly to?: number;
}

export interface RebuildReport {
  /** Hours that were marked. An hour that is not over yet is built when it is over. */
  readonly reopenedHours: number;
  /** Hours that were left as they are, because some of their records have expired. */
  readonly keptHours: number;
  readonly rolledUpHours: number;
}

async function* deviceIds(
  { store }: GatewayContext,
  deviceId: string | undefined,
): AsyncGenerator<string> {
  if (deviceId !== undefined) {
    yield deviceId;
    return;
  }
  for (let after = ""; ; ) {
    const page = await store.devices.list({ ownerId: null, after, limit: deviceStep });
    for (const device of page) yield device.deviceId;
    if (page.length < deviceStep) return;
    after = page.at(-1)?.deviceId ?? after;
  }
}

/**
 * Rebuilds roll-ups from the stored records. Meanwhile, history is read from the records. An aborted signal ends it
 * early; hours that are marked by then are built by `maintain`.
 */
export async function rebuildRollUps(
  context: GatewayContext,
  { deviceId, from = 0, to = context.clock.now() }: RebuildRange,
  signal?: AbortSignal,
): Promise<Result<RebuildReport, Failure<"device_not_found">>> {
  const { store, clock } = context;
  if (deviceId !== undefined && (await store.devices.find(deviceId)) === null) {
    return err({ code: "device_not_found" });
  }
  let [reopenedHours, keptHours, rolledUpHours] = [0, 0, 0];
  for await (const id of deviceIds(context, deviceId)) {
    if (signal?.aborted) break;
    const { reopened, kept } = await store.telemetry.reopenHours({ deviceId: id, from, to });
    reopenedHours += reopened;
    keptHours += kept;
  }
  const before = clock.now();
  // A pass builds only some of the hours with very many records, so the last pass is the one that builds nothing.
  for (let inPass = 0; signal?.aborted !== true; ) {
    const { built, more } = await store.telemetry.rollUp({ before, limit: hourStep });
    rolledUpHours += built;
    inPass += built;
    if (more) continue;
    if (inPass === 0) break;
    inPass = 0;
  }
  return ok({ reopenedHours, keptHours, rolledUpHours });
}
