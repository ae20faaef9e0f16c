import { compareVersions } from "../offer/version.js";
import { changeState, enterPhase, queueReport, recordRollBack } from "./machine-changes.js";
import type { UpdateMachine } from "./update-machine.js";
import type { UpdatePhase, UpdateState } from "./update-state.js";

/** Number of boots in which a new image must confirm itself. */
const maxBoots = 3;
/** Number of attempts to start the former image again. */
const maxRollBacks = 3;

type PhaseOf<Kind extends UpdatePhase["kind"]> = Extract<UpdatePhase, { kind: Kind }>;

function onTrial(machine: UpdateMachine, phase: PhaseOf<"trial">, now: number): UpdateMachine {
  const { offer, from, boots } = phase;
  const { running } = machine;
  if (running === from) {
    const message = `${from} runs again: ${offer.version} did not confirm itself.`;
    return recordRollBack(machine, now, offer, { code: "not_confirmed", message });
  }
  const rollBack = { kind: "rolling_back", offer, from, attempts: 0 } as const;
  if (running !== offer.version) {
    const message = `The image contains version ${running}.`;
    return enterPhase(machine, { ...rollBack, code: "wrong_version", message });
  }
  if (boots >= maxBoots) {
    const message = `Started ${boots} times without confirming itself.`;
    return enterPhase(machine, { ...rollBack, code: "not_confirmed", message });
  }
  return enterPhase(machine, { ...phase, boots: boots + 1 });
}

function rollingBack(
  machine: UpdateMachine,
  phase: PhaseOf<"rolling_back">,
  now: number,
): UpdateMachine {
  const { offer, from, attempts } = phase;
  if (machine.running === from) return recordRollBack(machine, now, offer, phase);
  if (attempts < maxRollBacks) return machine;
  const { version } = offer;
  const message = `${machine.running} runs unconfirmed: ${from} could not be started.`;
  const reported = queueReport(machine, now, {
    state: "failed",
    version,
    code: "rollback_failed",
    message,
  });
  return enterPhase(reported, { kind: "idle" });
}

/**
 * Continues from the stored state. It trusts an image that the state does not explain, so the caller must have
 * confirmed it (`confirmUnknown`).
 */
export function onBooted(
  before: UpdateState,
  { running, now }: { readonly running: string; readonly now: number },
): UpdateMachine {
  const machine = { state: before, running, checked: false, ended: null };
  const { phase, floor } = before;
  switch (phase.kind) {
    case "idle":
    case "downloading":
    case "downloaded":
      // A later version may have been flashed by cable, or the state was lost.
      return compareVersions(running, floor) > 0
        ? changeState(machine, { floor: running })
        : machine;
    case "installing":
      // If the new image runs, the power was cut after the activation and before it was saved.
      return running === phase.from
        ? machine
        : onTrial(machine, { ...phase, kind: "trial", boots: 0 }, now);
    case "trial":
      return onTrial(machine, phase, now);
    case "rolling_back":
      return rollingBack(machine, phase, now);
  }
}
