import type { GatewayContext } from "../context.js";
import { problems, type RejectedRecord } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { NewRefusal } from "./refusal-store.js";

/** Returns one entry for each code of a request's rejected records, with the message of the last one. */
export function countRejections(
  rejected: readonly Pick<RejectedRecord, "code" | "message">[],
): readonly NewRefusal[] {
  const byCode = new Map<string, NewRefusal>();
  for (const { code, message } of rejected) {
    byCode.set(code, { code, message, count: (byCode.get(code)?.count ?? 0) + 1 });
  }
  return [...byCode.values()];
}

/** Errors of a telemetry request that its firmware can avoid. */
const avoidable = [
  "malformed_json",
  "invalid_request",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
] as const;

/** Returns the entry for a telemetry request that was refused as a whole. Empty if the firmware is not the cause. */
export function toRefusals({ code, errors = [], isCut }: Failure): readonly NewRefusal[] {
  const known = avoidable.find((one) => one === code);
  if (known === undefined || isCut) return [];
  const message = [problems[known].detail, ...errors.map((error) => error.message)].join(" ");
  return [{ code, message: message.slice(0, maxMessageLength), count: 1 }];
}

const maxMessageLength = 500;

/** Notes what was refused, for the device's owner and operators. A request without refusals costs nothing. */
export async function noteRefusals(
  { store, devicesInTurn, clock, logger }: GatewayContext,
  { deviceId, ownership }: Device,
  refusals: readonly NewRefusal[],
): Promise<void> {
  if (refusals.length === 0) return;
  const since = ownership?.visibleFrom ?? 0;
  const now = clock.now();
  try {
    await devicesInTurn(deviceId, () => store.refusals.add({ deviceId, now, since, refusals }));
  } catch (error) {
    // The device's response does not depend on it.
    logger.warn({ err: error, deviceId }, "The refusal of telemetry could not be stored");
  }
}
