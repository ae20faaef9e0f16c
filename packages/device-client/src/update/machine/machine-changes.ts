import type { ReleaseOffer } from "../offer/release-offer.js";
import { noteFailure, noteRollBack } from "./trouble.js";
import type { UpdateMachine } from "./update-machine.js";
import { addReport, type UpdateReport } from "./update-report.js";
import type { UpdatePhase, UpdateState } from "./update-state.js";

const maxMessageLength = 200;

/** Changes the stored state. */
export const changeState = (
  machine: UpdateMachine,
  change: Partial<UpdateState>,
): UpdateMachine => ({
  ...machine,
  state: { ...machine.state, ...change },
});

export const enterPhase = (machine: UpdateMachine, phase: UpdatePhase): UpdateMachine =>
  changeState(machine, { phase });

/** Adds a report to the outbox, so that it is saved together with the change that it reports. */
export function queueReport(
  machine: UpdateMachine,
  now: number,
  { message, ...report }: Omit<UpdateReport, "timestamp">,
): UpdateMachine {
  const dated = {
    ...report,
    ...(message !== undefined && { message: message.slice(0, maxMessageLength) }),
    timestamp: new Date(now).toISOString(),
  };
  return changeState(machine, { outbox: addReport(machine.state.outbox, dated) });
}

interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** Ends an update that failed. The device does not try the image again for a while. */
export function failUpdate(
  machine: UpdateMachine,
  now: number,
  { version, sha256 }: ReleaseOffer,
  { code, message }: FailureReason,
): UpdateMachine {
  const reported = queueReport(machine, now, { state: "failed", version, code, message });
  const troubles = noteFailure(machine.state.troubles, sha256, now);
  return {
    ...changeState(reported, { phase: { kind: "idle" }, troubles }),
    ended: { kind: "failed", version, code, message },
  };
}

/** Records that the old image runs again. The device never tries the new one again. */
export function recordRollBack(
  machine: UpdateMachine,
  now: number,
  { version, sha256 }: ReleaseOffer,
  { code, message }: FailureReason,
): UpdateMachine {
  const reported = queueReport(machine, now, { state: "rolled_back", version, code, message });
  const troubles = noteRollBack(machine.state.troubles, sha256);
  return changeState(reported, { phase: { kind: "idle" }, troubles });
}

/** Cancels the current update, because the server no longer offers it. */
export function cancelUpdate(machine: UpdateMachine, now: number, message: string): UpdateMachine {
  const { phase } = machine.state;
  if (phase.kind === "idle") return machine;
  const { version } = phase.offer;
  return enterPhase(queueReport(machine, now, { state: "cancelled", version, message }), {
    kind: "idle",
  });
}
