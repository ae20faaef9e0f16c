import type { GatewayContext } from "../context.js";
import { stateOfWord } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { CurrentUpdate } from "../ota/offer/device-ota.js";
import { isUnderWay } from "../ota/update/device-update.js";
import type { OtaEvent } from "../ota/update/ota-event.js";
import type { CommandAnswer } from "./command.js";
import type { UpdateAnswer } from "./command-store.js";

/** The device's own words. */
type Words = Pick<UpdateAnswer, "status" | "message">;

const goesOn = (state: OtaEvent["state"]): boolean => state === "offered" || isUnderWay(state);

/**
 * Returns how the device's words end the command (§6), or null while the update goes on. An unknown word ends it, because
 * firmware may say in any words that there is no update.
 */
export function toFinalAnswer({ status, message }: Words): CommandAnswer | null {
  const state = stateOfWord(status);
  if (state !== null && goesOn(state)) return null;
  const isDone = state === null || state === "succeeded";
  return { status: isDone ? "done" : "failed", result: status, message };
}

/**
 * Returns the state that a device's word reports. An unknown word, or an offer without an open update, keeps the state
 * of the open update. Without one, the state is `cancelled`.
 */
function interpret(
  status: string,
  current: CurrentUpdate | null,
): Pick<OtaEvent, "state" | "offeredVersion"> {
  const open = current !== null && goesOn(current.state) ? current : null;
  const state = stateOfWord(status);
  if (state === null || (state === "offered" && open === null))
    return { state: open?.state ?? "cancelled", offeredVersion: open?.version ?? null };
  return { state, offeredVersion: current?.version ?? null };
}

/** Returns a device's answer to an "update now" request with its event for the OTA history (§6). */
export async function toUpdateAnswer(
  { store, clock }: GatewayContext,
  { deviceId, profile, ota }: Device,
  { status, message }: Words,
): Promise<UpdateAnswer> {
  const { state, offeredVersion } = interpret(status, ota.current);
  const updates = state === "succeeded" ? await store.updates.list(deviceId) : [];
  // A device that reports a success may already run the new version.
  const ended = updates.find(({ releaseId }) => releaseId === ota.current?.releaseId);
  const event = {
    createdAt: clock.now(),
    deviceId,
    source: "command",
    state,
    offeredVersion,
    fromVersion: ended?.fromVersion ?? profile.firmwareVersion,
    lastResult: status,
    lastCheckSucceeded: null,
    updateAvailable: null,
    updateApplied: null,
    progress: null,
    message,
  } as const;
  return { status, message, event };
}
