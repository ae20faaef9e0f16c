import { maxBatchRecords } from "@device-gateway/core/contract";
import type { DemoContext } from "../demo-context.js";
import { DemoError } from "../demo-event.js";
import { type DemoState, remember } from "../demo-state.js";
import { withToken } from "../sign-in.js";
import type { Reading } from "./recording.js";

const dayMs = 86_400_000;
/** Readings this close to the end of the retention are not sent, because they could expire on the way. */
const marginMs = 3_600_000;

export const toRecord = ({ at, temperature }: Reading) => ({
  timestamp: new Date(at).toISOString(),
  temperature,
  unit: "°F",
});

/**
 * Sends the recording as if it had ended at the first start, from the first reading that the server has not acknowledged.
 * Readings that were sent but not acknowledged are sent again; the server recognises duplicates.
 */
export async function replay(context: DemoContext, start: DemoState): Promise<void> {
  const { client, memory, recording, now, notify } = context;
  const total = recording.length;
  const shift = start.anchor - (recording.at(-1)?.at ?? 0);
  const oldest = now() - context.retentionDays * dayMs + marginMs;
  const firstFitting = recording.findIndex(({ at }) => at + shift >= oldest);
  const sums = { stored: 0, duplicates: 0, rejected: 0 };
  let size = maxBatchRecords;
  let next = Math.max(start.acknowledged, firstFitting < 0 ? total : firstFitting);
  if (next >= total) return;

  notify({ kind: "replaying", sent: next, total });
  while (next < total) {
    const batch = recording.slice(next, next + size);
    const records = batch.map(({ at, temperature }) => toRecord({ at: at + shift, temperature }));
    const reply = await withToken(context, () => client.sendTelemetry({ records }));
    if (reply.kind === "refused") {
      if (reply.error.code !== "payload_too_large" || size === 1) {
        throw new DemoError(reply.error.message);
      }
      size = Math.ceil(size / 2);
      continue;
    }
    sums.stored += reply.value.accepted;
    sums.duplicates += reply.value.duplicates;
    sums.rejected += reply.value.rejected.length;
    next += batch.length;
    await remember(memory, start, { acknowledged: next });
    notify({ kind: "replaying", sent: next, total });
  }
  notify({ kind: "replayed", ...sums });
}
