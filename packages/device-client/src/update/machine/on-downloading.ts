import { cancelUpdate, enterPhase, failUpdate, queueReport } from "./machine-changes.js";
import type { UpdateEvent } from "./update-event.js";
import type { UpdateMachine } from "./update-machine.js";
import type { UpdatePhase } from "./update-state.js";

/** Number of consecutive connections without data. */
const maxFailures = 5;
const maxRestarts = 3;

type Downloading = Extract<UpdatePhase, { kind: "downloading" }>;
export type DownloadEvent = Extract<
  UpdateEvent,
  {
    kind:
      | "opened"
      | "wrote"
      | "interrupted"
      | "gone"
      | "download_refused"
      | "flash_failed"
      | "received";
  }
>;

const quarter = (offset: number, size: number) => Math.floor((offset * 4) / size);

function opened(
  machine: UpdateMachine,
  phase: Downloading,
  { offset, etag }: Extract<DownloadEvent, { kind: "opened" }>,
  now: number,
): UpdateMachine {
  const isRestart = offset < phase.offset;
  const restarts = phase.restarts + (isRestart ? 1 : 0);
  if (restarts <= maxRestarts) return enterPhase(machine, { ...phase, offset, etag, restarts });
  const message = `The download started again ${maxRestarts} times.`;
  return failUpdate(machine, now, phase.offer, { code: "image_keeps_changing", message });
}

function wrote(
  machine: UpdateMachine,
  phase: Downloading,
  { offset }: Extract<DownloadEvent, { kind: "wrote" }>,
  now: number,
): UpdateMachine {
  const { version, size } = phase.offer;
  const after = enterPhase(machine, { ...phase, offset, failures: 0 });
  const part = quarter(offset, size);
  if (part === quarter(phase.offset, size) || offset >= size) return after;
  return queueReport(after, now, { state: "downloading", version, progress: part * 25 });
}

/** Handles the events of a download. */
export function onDownloading(
  machine: UpdateMachine,
  phase: Downloading,
  event: DownloadEvent,
  now: number,
): UpdateMachine {
  const { offer } = phase;
  const { version } = offer;
  switch (event.kind) {
    case "opened":
      return opened(machine, phase, event, now);
    case "wrote":
      return wrote(machine, phase, event, now);
    case "interrupted": {
      const failures = phase.failures + 1;
      const { message } = event;
      return failures < maxFailures
        ? enterPhase(machine, { ...phase, failures })
        : failUpdate(machine, now, offer, { code: "download_failed", message });
    }
    case "gone": {
      const { message } = event;
      return {
        ...cancelUpdate(machine, now, message),
        ended: { kind: "cancelled", version, message },
      };
    }
    case "download_refused":
      return failUpdate(machine, now, offer, event);
    case "flash_failed":
      return failUpdate(machine, now, offer, { code: "flash_failed", message: event.message });
    case "received": {
      if (event.sha256 !== offer.sha256) {
        const message = `The SHA-256 of the downloaded image is ${event.sha256}.`;
        return failUpdate(machine, now, offer, { code: "hash_mismatch", message });
      }
      const downloaded = queueReport(machine, now, { state: "downloaded", version });
      const verified = queueReport(downloaded, now, { state: "verified", version });
      return enterPhase(verified, { kind: "downloaded", offer, attempts: 0 });
    }
  }
}
