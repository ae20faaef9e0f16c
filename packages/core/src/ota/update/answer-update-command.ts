import type { GatewayContext } from "../../context.js";
import { type CommandAnswer, stateOfWord } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { toStorableText } from "../../shared/storable-text.js";

const maxTextLength = 512;

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
  const event = {
    createdAt: now,
    deviceId,
    source: "command",
    // Without an update, the request ends without one.
    state: stateOfWord(status) ?? ota.current?.state ?? "cancelled",
    offeredVersion: ota.current?.version ?? null,
    fromVersion: profile.firmwareVersion,
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
