import { admitRollBack, enter, remember, tell } from "./machine-moves.js";
import type { UpdateMachine } from "./update-machine.js";
import type { UpdatePhase, UpdateState } from "./update-state.js";
import { compareVersions } from "./version.js";

/** Boots that a new image gets to confirm itself. */
const mostBoots = 3;
const mostRollBacks = 3;

type PhaseOf<Kind extends UpdatePhase["kind"]> = Extract<UpdatePhase, { kind: Kind }>;

function onTrial(machine: UpdateMachine, phase: PhaseOf<"trial">, now: number): UpdateMachine {
  const { offer, from, boots } = phase;
  const { running } = machine;
  if (running === from) {
    const message = `${from} runs again: ${offer.version} did not confirm itself.`;
    return admitRollBack(machine, now, offer, { code: "not_confirmed", message });
  }
  const back = { kind: "rolling_back", offer, from, attempts: 0 } as const;
  if (running !== offer.version) {
    const message = `The image says that it is ${running}.`;
    return enter(machine, { ...back, code: "wrong_version", message });
  }
  if (boots >= mostBoots) {
    const message = `Started ${boots} times without confirming itself.`;
    return enter(machine, { ...back, code: "not_confirmed", message });
  }
  return enter(machine, { ...phase, boots: boots + 1 });
}

function rollingBack(
  machine: UpdateMachine,
  phase: PhaseOf<"rolling_back">,
  now: number,
): UpdateMachine {
  const { offer, from, attempts } = phase;
  if (machine.running === from) return admitRollBack(machine, now, offer, phase);
  if (attempts < mostRollBacks) return machine;
  const { version } = offer;
  const message = `${machine.running} runs unconfirmed: ${from} could not be started.`;
  const told = tell(machine, now, { state: "failed", version, code: "rollback_failed", message });
  return enter(told, { kind: "idle" });
}

/** Starts what is remembered, or from nothing: what runs at the first start is trusted. */
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
      // A cable may have brought a later version.
      return compareVersions(running, floor) > 0 ? remember(machine, { floor: running }) : machine;
    case "installing":
      // The power was cut after the slot became active, and before that was written down.
      return running === phase.from
        ? machine
        : onTrial(machine, { ...phase, kind: "trial", boots: 0 }, now);
    case "trial":
      return onTrial(machine, phase, now);
    case "rolling_back":
      return rollingBack(machine, phase, now);
  }
}
