import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";

/** Devices whose hours are marked before others get their turn; hours built in one step. */
const deviceStep = 100;
const hourStep = 500;

/** Which roll-ups are to be built anew: by default all of all devices. */
export interface RebuildRange {
  readonly deviceId?: string;
  /** Epoch milliseconds: hours that touch the range from `from` to before `to`. */
  readonly from?: number;
  readonly to?: number;
}

export interface RebuildReport {
  /** Hours that were marked; those that are not over yet are built when they are. */
  readonly reopenedHours: number;
  /** Hours left as they are, since records that they were built of have had their time. */
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
 * Builds roll-ups anew from the records that are there. History answers meanwhile, from records. The
 * signal ends it early: what was marked by then is built by `maintain`.
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
  for (let more = true; more && signal?.aborted !== true; ) {
    const outcome = await store.telemetry.rollUp({ before: clock.now(), limit: hourStep });
    rolledUpHours += outcome.built;
    more = outcome.more;
  }
  return ok({ reopenedHours, keptHours, rolledUpHours });
}
