import type { GatewayContext } from "../../context.js";
import { type CommandAnswer, stateOfWord } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { toStorableText } from "../../shared/storable-text.js";
import type { CurrentUpdate } from "../offer/device-ota.js";
import { isUnderWay } from "./device-update.js";
import type { OtaEvent } from "./ota-event.js";

const maxTextLength = 512;

const isOpen = (update: CurrentUpdate | null): boolean =>
  update !== null && (update.state === "offered" || isUnderWay(update.state));

/** Returns what a device's word means. Without an open update, it reports no offer, and an unknown word no state. */
function interpret(
  status: string,
  current: CurrentUpdate | null,
): Pick<OtaEvent, "state" | "offeredVersion"> {
  const open = isOpen(current) ? current : null;
  const state = stateOfWord(status);
  if (state === null || (state === "offered" && open === null))
    return { state: open?.state ?? "cancelled", offeredVersion: open?.version ?? null };
  return { state, offeredVersion: current?.version ?? null };
}

/** Records a device's answer to an "update now" request (§6). An answer to another request is ignored. */
export async function answerUpdateCommand(
  { store, deviceCache, clock }: GatewayContext,
  { deviceId, profile, ota }: Device,
  answer: CommandAnswer,
): Promise<void> {
  const now = clock.now();
  const requestId = toStorableText(answer.requestId);
  const status = toStorableText(answer.status);
  const message = toStorableText(answer.message ?? "", maxTextLength) || null;
  const { state, offeredVersion } = interpret(status, ota.current);
  const updates = state === "succeeded" ? await store.updates.list(deviceId) : [];
  // A device that reports a success may already run the new version.
  const ended = updates.find(({ releaseId }) => releaseId === ota.current?.releaseId);
  const event = {
    createdAt: now,
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
  await deviceCache.change(deviceId, () =>
    store.updates.answerCommand({ deviceId, requestId, status, message, event }),
  );
}
