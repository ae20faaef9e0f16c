import { changeState } from "./machine/machine-changes.js";
import { transition } from "./machine/transition.js";
import type { UpdateEvent } from "./machine/update-event.js";
import { nextEffect, type UpdateMachine } from "./machine/update-machine.js";
import type { UpdateOutcome } from "./machine/update-outcome.js";
import type { UpdateState } from "./machine/update-state.js";
import { createAssessment } from "./offer/assess-offer.js";
import { importTrustedKeys, type PinnedKey } from "./offer/trusted-keys.js";
import { isVersion } from "./offer/version.js";
import { confirmUnknown, type EffectContext, performEffect } from "./perform-effect.js";
import { sealState, unsealState } from "./sealed-state.js";
import type { UpdatePorts } from "./update-ports.js";

/** Options of `createUpdater`. */
export interface UpdaterOptions extends UpdatePorts {
  /** The hardware of this device. Releases for other hardware are refused. */
  readonly targetHardware: string;
  /** The version of the running image, read from the image itself. */
  readonly running: string;
  /** At least one. Pin two, so that one can be replaced. */
  readonly keys: readonly PinnedKey[];
  /** Time-out of the self-test in seconds. Default: 300. */
  readonly selfTestTimeoutSeconds?: number;
}

/** The reference updater. */
export interface Updater {
  /**
   * Checks for an update and continues it as far as possible. Call it after each start and at each
   * check. Rejects only if the storage or the bootloader rejects.
   */
  run(): Promise<UpdateOutcome>;
  /** The stored state. Null before the first run. */
  readonly state: UpdateState | null;
}

/** Delivers the waiting reports in order, until one cannot be delivered now. */
async function deliver({ network }: UpdatePorts, state: UpdateState): Promise<UpdateState> {
  let { outbox } = state;
  for (let [next] = outbox; next !== undefined; [next] = outbox) {
    if ((await network.report(next)) === "undelivered") break;
    outbox = outbox.slice(1);
  }
  return outbox === state.outbox ? state : { ...state, outbox };
}

/**
 * Creates an updater that downloads, verifies and installs firmware (§6).
 * @throws {TypeError} if `running` or a key is invalid.
 * @example
 * const ports = { network, storage, slot, boot, clock, random, selfTest };
 * const keys = [{ id: "release-2026", pem }];
 * const updater = await createUpdater({ ...ports, targetHardware: "esp32dev", running: "1.3.9", keys });
 * const outcome = await updater.run();
 */
export async function createUpdater(options: UpdaterOptions): Promise<Updater> {
  const { running, targetHardware, selfTestTimeoutSeconds = 300 } = options;
  if (!isVersion(running))
    throw new TypeError(`running: "${running}" is not a version. Use major.minor.patch.`);
  const keys = await importTrustedKeys(options.keys);
  const assess = createAssessment(targetHardware, keys);
  const selfTestTimeoutMs = selfTestTimeoutSeconds * 1000;
  return driveUpdates({ ports: options, assess, selfTestTimeoutMs }, running);
}

/**
 * Drives the state machine: performs an effect, applies its events, saves the state, and repeats.
 * Everything that matters is in the saved state, so the power may fail between any two lines.
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
    const state = unsealState(await storage.load());
    const initial = { state, running, checked: false, ended: null };
    const isConfirmed = await confirmUnknown(context, initial);
    const booted = transition(initial, { kind: "booted", running }, clock.now());
    return save(isConfirmed ? booted : changeState(booted, { floor: state.floor }));
  };

  const run = async (): Promise<UpdateOutcome> => {
    // After a report that cannot be delivered, this run sends no more, so that the download goes on.
    let isBlocked = false;
    const report = async (before: UpdateMachine): Promise<UpdateMachine> => {
      // An image on trial runs its self-test first, because a power cut before the self-test blocks the image
      // permanently.
      if (isBlocked || nextEffect(before)?.kind === "try_out") return before;
      const state = await deliver(ports, before.state);
      isBlocked = state.outbox.length > 0;
      return save({ ...before, state });
    };
    let now = await report(await begin());
    for (let effect = nextEffect(now); effect !== null; effect = nextEffect(now)) {
      for await (const event of performEffect(context, effect, now)) {
        now = await report(await apply(now, event));
        if (now.ended !== null && effect.kind !== "roll_back") break;
      }
    }
    if (now.ended === null)
      throw new Error("The state machine has no next effect, but has not ended.");
    return now.ended;
  };

  let pending: Promise<UpdateOutcome> | undefined;
  return {
    get state() {
      return machine?.state ?? null;
    },
    run() {
      pending ??= run().finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}
