import type { BulkAction, BulkVerdict } from "@device-gateway/core/contract";
import { call, isServerFailure } from "../api/call.js";
import * as bulkText from "../text/bulk.js";

/** Devices of one request. A small request shows progress early. */
const chunkSize = 50;

export interface BulkProgress {
  readonly verdicts: readonly BulkVerdict[];
  /** Why the rest was not tried, if something stopped it. */
  readonly failure: string | undefined;
}

interface BulkRun {
  readonly onProgress: (progress: BulkProgress) => void;
  /** Stops the run: no further request is sent, and no further progress is reported. */
  readonly signal: AbortSignal;
}

/** Changes devices in several requests, and reports the verdicts so far after each. Waits when the server asks to. */
export async function runBulk(
  deviceIds: readonly string[],
  action: BulkAction,
  { onProgress, signal }: BulkRun,
): Promise<void> {
  const verdicts: BulkVerdict[] = [];
  for (let from = 0; from < deviceIds.length && !signal.aborted; ) {
    const body = { deviceIds: deviceIds.slice(from, from + chunkSize), action };
    const reply = await call("changeDevices", { body });
    if (signal.aborted) return;
    if (reply.ok) {
      verdicts.push(...reply.value.verdicts);
      from += chunkSize;
      onProgress({ verdicts: [...verdicts], failure: undefined });
      continue;
    }
    const { code, message, retryAfterSeconds } = reply.failure;
    if (code !== "too_many_requests" || retryAfterSeconds === undefined) {
      const unknown = isServerFailure(reply.failure)
        ? [bulkText.mayHaveChanged(body.deviceIds.length)]
        : [];
      onProgress({ verdicts: [...verdicts], failure: [message, ...unknown].join(" ") });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000));
  }
}
