import { reasonOf } from "../reason-of.js";
import { hashImage } from "./hash-image.js";
import type { UpdateEvent } from "./machine/update-event.js";
import type { UpdateEffect, UpdateMachine } from "./machine/update-machine.js";
import type { AssessOffer } from "./offer/assess-offer.js";
import { compareVersions } from "./offer/version.js";
import { performDownload } from "./perform-download.js";
import type { UpdatePorts } from "./update-ports.js";

export interface EffectContext {
  readonly ports: UpdatePorts;
  readonly assess: AssessOffer;
  readonly selfTestTimeoutMs: number;
}

async function check(
  { ports, assess }: EffectContext,
  { state, running }: UpdateMachine,
): Promise<UpdateEvent> {
  const answer = await ports.network.check(running);
  if (answer.kind !== "offered") return answer;
  const { offer } = answer;
  const { floor } = state;
  const refusal = await assess(offer, { running, floor, capacity: ports.slot.capacity });
  return { kind: "offered", offer, refusal };
}

/** Runs the self-test with its time-out. If it passes, confirms the image. */
async function runSelfTest({ ports, selfTestTimeoutMs }: EffectContext): Promise<UpdateEvent> {
  const done = new AbortController();
  const timedOut = ports.clock.wait(selfTestTimeoutMs, done.signal).then(() => {
    if (!done.signal.aborted) throw new Error("The self-test took too long.");
  });
  try {
    await Promise.race([ports.selfTest(), timedOut]);
  } catch (fault) {
    return { kind: "self_test_failed", message: reasonOf(fault) };
  } finally {
    done.abort();
  }
  await ports.boot.confirm();
  return { kind: "confirmed" };
}

/**
 * Tests and confirms an image that the stored state does not explain, which may be on trial: the state was lost, or
 * another program installed the image. Returns false if it is not confirmed. Its version must not raise the floor then.
 */
export async function confirmUnknown(
  context: EffectContext,
  { state: { phase, floor }, running }: Pick<UpdateMachine, "state" | "running">,
): Promise<boolean> {
  const isUpdating = ["installing", "trial", "rolling_back"].includes(phase.kind);
  if (isUpdating || compareVersions(running, floor) <= 0) return true;
  try {
    return (await runSelfTest(context)).kind === "confirmed";
  } catch {
    // The bootloader did not confirm it. The next start tries again.
    return false;
  }
}

async function readBack(
  { ports: { slot } }: EffectContext,
  { offer }: Extract<UpdateEffect, { kind: "read_back" }>,
): Promise<UpdateEvent> {
  try {
    return { kind: "read_back", sha256: (await hashImage(slot, offer.size)).digest() };
  } catch (fault) {
    return { kind: "flash_failed", message: reasonOf(fault) };
  }
}

async function install(
  { ports: { boot } }: EffectContext,
  { offer }: Extract<UpdateEffect, { kind: "install" }>,
): Promise<UpdateEvent> {
  try {
    await boot.install(offer);
    return { kind: "activated" };
  } catch (fault) {
    return { kind: "install_failed", message: reasonOf(fault) };
  }
}

/** Performs an effect and yields the events that result from it. */
export async function* performEffect(
  context: EffectContext,
  effect: UpdateEffect,
  machine: UpdateMachine,
): AsyncGenerator<UpdateEvent> {
  switch (effect.kind) {
    case "check":
      yield await check(context, machine);
      break;
    case "download":
      yield* performDownload(context.ports, effect);
      break;
    case "read_back":
      yield await readBack(context, effect);
      break;
    case "install":
      yield await install(context, effect);
      break;
    case "reboot":
      await context.ports.boot.reboot();
      yield { kind: "reboot_requested" };
      break;
    case "try_out":
      yield await runSelfTest(context);
      break;
    case "roll_back":
      yield { kind: "rollback_requested" };
      await context.ports.boot.rollBack();
      break;
  }
}
