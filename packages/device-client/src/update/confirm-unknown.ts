import { reasonOf } from "../reason-of.js";
import type { UpdateEffect, UpdateMachine } from "./machine/update-machine.js";
import type { UpdateState } from "./machine/update-state.js";
import { compareVersions } from "./offer/version.js";
import { type EffectContext, runSelfTest } from "./perform-effect.js";

/** Why the running image is not confirmed, and what follows. */
export interface Doubt {
  readonly message: string;
  /**
   * `go_on`: the image is not on trial, so an update may replace the image in the other slot. `hold`: that may be the
   * only confirmed image. `roll_back`: the image is on trial and failed its self-test.
   */
  readonly next: "go_on" | "hold" | "roll_back";
}

interface Fault {
  readonly message: string;
  readonly next: "hold" | "roll_back";
}

/** Returns whether the state explains the running image: an update is being installed, tested or rolled back. */
export const explainsImage = ({ phase }: UpdateState): boolean =>
  ["installing", "trial", "rolling_back"].includes(phase.kind);

/** Tests and confirms the running image. Returns null if that succeeds. */
async function findFault(context: EffectContext): Promise<Fault | null> {
  try {
    const result = await runSelfTest(context);
    return result.kind === "confirmed" ? null : { message: result.message, next: "roll_back" };
  } catch (fault) {
    // The image works, but the bootloader did not confirm it. The next run tries again.
    return { message: reasonOf(fault), next: "hold" };
  }
}

/**
 * Tests and confirms an image that the stored state does not explain, which may be on trial: the state was lost, or
 * another program installed the image. Returns null if it is confirmed. If not, its version must not raise the floor.
 */
export async function confirmUnknown(
  context: EffectContext,
  { state, running }: Pick<UpdateMachine, "state" | "running">,
): Promise<Doubt | null> {
  if (explainsImage(state) || compareVersions(running, state.floor) <= 0) return null;
  const fault = await findFault(context);
  if (fault === null) return null;
  const isOnTrial = await context.ports.boot.isOnTrial?.();
  if (isOnTrial === true) return fault;
  return { message: fault.message, next: isOnTrial === false ? "go_on" : "hold" };
}

/**
 * Returns whether the run must end before this effect. An unconfirmed image writes nothing to the other slot and does
 * not activate it. An image that is rolled back does nothing more.
 */
export function stopsBefore({ next }: Doubt, { kind }: UpdateEffect): boolean {
  if (next === "roll_back") return true;
  return next === "hold" && (kind === "download" || kind === "read_back" || kind === "install");
}
