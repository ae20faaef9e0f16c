import { compareVersions } from "../offer/version.js";
import {
  cancelUpdate,
  changeState,
  enterPhase,
  failUpdate,
  queueReport,
} from "./machine-changes.js";
import { onBooted } from "./on-booted.js";
import { onDownloading } from "./on-downloading.js";
import { onOffered } from "./on-offered.js";
import type { UpdateEvent } from "./update-event.js";
import type { UpdateMachine } from "./update-machine.js";
import type { UpdatePhase } from "./update-state.js";

function inPhase<Kind extends UpdatePhase["kind"]>({ state }: UpdateMachine, ...kinds: Kind[]) {
  const { phase } = state;
  if (!kinds.some((kind) => kind === phase.kind)) {
    throw new Error(`An event for ${kinds.join(" or ")} arrived in phase ${phase.kind}.`);
  }
  return phase as Extract<UpdatePhase, { kind: Kind }>;
}

function onReadBack(machine: UpdateMachine, sha256: string, now: number): UpdateMachine {
  const { offer, attempts } = inPhase(machine, "downloaded");
  if (sha256 !== offer.sha256) {
    const message = `The SHA-256 of the image in the slot is ${sha256}.`;
    return failUpdate(machine, now, offer, { code: "slot_damaged", message });
  }
  const reported = queueReport(machine, now, { state: "installing", version: offer.version });
  return enterPhase(reported, { kind: "installing", offer, from: machine.running, attempts });
}

function onConfirmed(machine: UpdateMachine, now: number): UpdateMachine {
  const { version } = inPhase(machine, "trial").offer;
  const reported = queueReport(machine, now, { state: "succeeded", version, progress: 100 });
  const { floor } = machine.state;
  return changeState(reported, {
    phase: { kind: "idle" },
    floor: compareVersions(version, floor) > 0 ? version : floor,
  });
}

/**
 * The state machine: returns the machine after an event. It is pure, and `now` is in epoch
 * milliseconds. The caller must save the result before it does anything else.
 * @throws {Error} if the event is impossible in this phase, which is a fault of the caller.
 */
export function transition(machine: UpdateMachine, event: UpdateEvent, now: number): UpdateMachine {
  switch (event.kind) {
    case "booted":
      return onBooted(machine.state, { running: event.running, now });
    case "offered":
      return onOffered(machine, event, now);
    case "not_offered": {
      const { phase } = machine.state;
      if (phase.kind === "idle") return { ...machine, ended: { kind: "up_to_date" } };
      const message = "The server no longer offers it.";
      const ended = { kind: "cancelled", version: phase.offer.version, message } as const;
      return { ...cancelUpdate(machine, now, message), ended };
    }
    case "unavailable": {
      const { kind: _, ...why } = event;
      return { ...machine, ended: { kind: "later", ...why } };
    }
    case "opened":
    case "wrote":
    case "interrupted":
    case "gone":
    case "download_refused":
    case "received":
      return onDownloading(machine, inPhase(machine, "downloading"), event, now);
    case "flash_failed": {
      const { offer } = inPhase(machine, "downloading", "downloaded");
      return failUpdate(machine, now, offer, { code: "flash_failed", message: event.message });
    }
    case "read_back":
      return onReadBack(machine, event.sha256, now);
    case "activated": {
      const { offer, from } = inPhase(machine, "installing");
      const reported = queueReport(machine, now, { state: "rebooting", version: offer.version });
      return enterPhase(reported, { kind: "trial", offer, from, boots: 0 });
    }
    case "install_failed": {
      const { offer } = inPhase(machine, "installing");
      return failUpdate(machine, now, offer, { code: "install_failed", message: event.message });
    }
    case "reboot_requested": {
      const { version } = inPhase(machine, "trial").offer;
      return { ...machine, ended: { kind: "restarting", version } };
    }
    case "confirmed":
      return onConfirmed(machine, now);
    case "self_test_failed": {
      const { offer, from } = inPhase(machine, "trial");
      const why = { code: "self_test_failed", message: event.message };
      return enterPhase(machine, { kind: "rolling_back", offer, from, attempts: 0, ...why });
    }
    case "rollback_requested": {
      const phase = inPhase(machine, "rolling_back");
      const next = enterPhase(machine, { ...phase, attempts: phase.attempts + 1 });
      return { ...next, ended: { kind: "restarting", version: phase.from } };
    }
  }
}
