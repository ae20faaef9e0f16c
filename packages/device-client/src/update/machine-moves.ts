import type { ReleaseOffer } from "./release-offer.js";
import { noteFailure, noteRollBack } from "./trouble.js";
import type { UpdateMachine } from "./update-machine.js";
import { addReport, type UpdateReport } from "./update-report.js";
import type { UpdatePhase, UpdateState } from "./update-state.js";

const longestMessage = 200;

/** Changes what is remembered. */
export const remember = (machine: UpdateMachine, change: Partial<UpdateState>): UpdateMachine => ({
  ...machine,
  state: { ...machine.state, ...change },
});

export const enter = (machine: UpdateMachine, phase: UpdatePhase): UpdateMachine =>
  remember(machine, { phase });

/** Puts a report into the outbox, in the same write as the change that it tells of. */
export function tell(
  machine: UpdateMachine,
  now: number,
  { message, ...report }: Omit<UpdateReport, "timestamp">,
): UpdateMachine {
  const dated = {
    ...report,
    ...(message !== undefined && { message: message.slice(0, longestMessage) }),
    timestamp: new Date(now).toISOString(),
  };
  return remember(machine, { outbox: addReport(machine.state.outbox, dated) });
}

interface Why {
  readonly code: string;
  readonly message: string;
}

/** Gives an image up, for now: it is left alone for a while. */
export function fail(
  machine: UpdateMachine,
  now: number,
  { version, sha256 }: ReleaseOffer,
  { code, message }: Why,
): UpdateMachine {
  const told = tell(machine, now, { state: "failed", version, code, message });
  const troubles = noteFailure(machine.state.troubles, sha256, now);
  return {
    ...remember(told, { phase: { kind: "idle" }, troubles }),
    ended: { kind: "failed", version, code, message },
  };
}

/** The old image runs again: the new one is never tried again. */
export function admitRollBack(
  machine: UpdateMachine,
  now: number,
  { version, sha256 }: ReleaseOffer,
  { code, message }: Why,
): UpdateMachine {
  const told = tell(machine, now, { state: "rolled_back", version, code, message });
  const troubles = noteRollBack(machine.state.troubles, sha256);
  return remember(told, { phase: { kind: "idle" }, troubles });
}

/** Drops what was under way: the server no longer wants it. */
export function cancel(machine: UpdateMachine, now: number, message: string): UpdateMachine {
  const { phase } = machine.state;
  if (phase.kind === "idle") return machine;
  const { version } = phase.offer;
  return enter(tell(machine, now, { state: "cancelled", version, message }), { kind: "idle" });
}
