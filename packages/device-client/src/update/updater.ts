import { createAssessment } from "./assess-offer.js";
import { type EffectContext, performEffect } from "./perform-effect.js";
import { sealState, unsealState } from "./sealed-state.js";
import { transition } from "./transition.js";
import { importTrustedKeys, type PinnedKey } from "./trusted-keys.js";
import type { UpdateEvent } from "./update-event.js";
import { nextEffect, type UpdateMachine } from "./update-machine.js";
import type { UpdateOutcome } from "./update-outcome.js";
import type { UpdatePorts } from "./update-ports.js";
import type { UpdateState } from "./update-state.js";
import { isVersion } from "./version.js";

export interface UpdaterOptions extends UpdatePorts {
  /** Releases are for this hardware, or not for this device. */
  readonly targetHardware: string;
  /** The version of the image that runs, from the image itself. */
  readonly running: string;
  /** At least one; two, to be able to replace one. */
  readonly keys: readonly PinnedKey[];
  /** How long a new image may take to prove itself. Default: 300. */
  readonly selfTestTimeoutSeconds?: number;
}

export interface Updater {
  /**
   * Takes an update as far as it goes now. Call it after each start and then at each check: it
   * goes on where it stood. Rejects only when the storage or the bootloader does.
   */
  run(): Promise<UpdateOutcome>;
  /** What is remembered; null before the first run. */
  readonly state: UpdateState | null;
}

/** Delivers waiting reports in order, until one can't be delivered now. */
async function deliver({ network }: UpdatePorts, state: UpdateState): Promise<UpdateState> {
  let { outbox } = state;
  for (let [next] = outbox; next !== undefined; [next] = outbox) {
    if ((await network.report(next)) === "undelivered") break;
    outbox = outbox.slice(1);
  }
  return outbox === state.outbox ? state : { ...state, outbox };
}

/**
 * Makes an updater of its ports, the pinned keys, and what the device is.
 * @throws {TypeError} when an option is wrong.
 */
export async function createUpdater(options: UpdaterOptions): Promise<Updater> {
  const { running, targetHardware, selfTestTimeoutSeconds = 300 } = options;
  if (!isVersion(running)) throw new TypeError(`running: "${running}" is not major.minor.patch.`);
  const keys = await importTrustedKeys(options.keys);
  const assess = createAssessment(targetHardware, keys);
  const selfTestTimeoutMs = selfTestTimeoutSeconds * 1000;
  return driveUpdates({ ports: options, assess, selfTestTimeoutMs }, running);
}

/**
 * Drives the state machine of `transition`: does what it wants, tells it what came of it, saves,
 * and goes on. All that matters is in the state, so that the power may fail between any two lines.
 */
export function driveUpdates(context: EffectContext, running: string): Updater {
  const { ports } = context;
  const { storage, clock } = ports;
  let machine: UpdateMachine | undefined;
  let saved: UpdateState | undefined;

  const save = async (next: UpdateMachine) => {
    if (next.state !== saved) await storage.save(sealState(next.state));
    saved = next.state;
    machine = next;
    return next;
  };
  const apply = (before: UpdateMachine, event: UpdateEvent) =>
    save(transition(before, event, clock.now()));

  const begin = async (): Promise<UpdateMachine> => {
    if (machine !== undefined) return { ...machine, checked: false, ended: null };
    const state = unsealState(await storage.load(), running);
    const none = { state, running, checked: false, ended: null };
    return apply(none, { kind: "booted", running });
  };

  const run = async (): Promise<UpdateOutcome> => {
    // A server that does not take reports now gets its pause, and the download its time.
    let isHeldUp = false;
    const report = async (before: UpdateMachine): Promise<UpdateMachine> => {
      // An image on trial proves itself first: a power cut before that bans it.
      if (isHeldUp || nextEffect(before)?.kind === "try_out") return before;
      const state = await deliver(ports, before.state);
      isHeldUp = state.outbox.length > 0;
      return save({ ...before, state });
    };
    let now = await report(await begin());
    for (let effect = nextEffect(now); effect !== null; effect = nextEffect(now)) {
      for await (const event of performEffect(context, effect, now)) {
        now = await report(await apply(now, event));
        if (now.ended !== null && effect.kind !== "roll_back") break;
      }
    }
    if (now.ended === null) throw new Error("The machine stands still without having ended.");
    return now.ended;
  };

  let under: Promise<UpdateOutcome> | undefined;
  return {
    get state() {
      return machine?.state ?? null;
    },
    run() {
      under ??= run().finally(() => {
        under = undefined;
      });
      return under;
    },
  };
}
