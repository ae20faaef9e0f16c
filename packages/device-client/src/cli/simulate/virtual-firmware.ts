import { setTimeout as timeout } from "node:timers/promises";
import type { Fetch } from "../../call-route.js";
import type { PinnedKey } from "../../update/trusted-keys.js";
import { createUpdateNetwork, type UpdateTokens } from "../../update/update-network.js";
import type { UpdateOutcome } from "../../update/update-outcome.js";
import { createUpdater, type Updater } from "../../update/updater.js";
import type { Tally } from "./tally.js";
import { createVirtualFlash, type ImageHabit, PowerCut } from "./virtual-flash.js";

/** A number of places of which each gateway that updates itself takes one. */
export interface Slots {
  /** False: none is free. */
  take(): boolean;
  giveBack(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  return {
    take: () => free > 0 && free-- > 0,
    giveBack: () => void free++,
  };
}

export interface FirmwarePlan {
  readonly apiUrl: string;
  readonly fetch: Fetch;
  readonly tokens: UpdateTokens;
  readonly key: PinnedKey;
  readonly targetHardware: string;
  readonly factoryVersion: string;
  readonly now: () => number;
  readonly random: () => number;
  /** What a new image will turn out to be. */
  readonly habitOf: () => ImageHabit;
  readonly tally: Tally;
  /** How many images may be in memory at a time, of the whole fleet. */
  readonly slots: Slots;
  /** The gateway has started: into this version. */
  readonly onStart: (version: string) => void;
}

/** What a virtual gateway runs, and how it is replaced: by the reference updater, from end to end. */
export interface VirtualFirmware {
  /** The image that runs is known to be bad. */
  readonly isBad: boolean;
  /** Reports that the server does not have yet, as of the last run. */
  readonly untold: number;
  /** Takes an update as far as it goes now, restarts included; the power may be cut after so many operations. */
  update(cutAfter: number | null): Promise<void>;
  /** The power was cut between two updates: what is remembered is read anew. */
  restart(): void;
}

/** A boot loop and a roll-back end long before. */
const mostRestarts = 20;

/** How updates end that are nobody's fault, or the image's own, as planned. */
const expectedFailures: readonly string[] = ["self_test_failed", "not_confirmed"];

function note(tally: Tally, outcome: UpdateOutcome): void {
  const surprise = (what: string) => {
    tally.surprises.set(what, (tally.surprises.get(what) ?? 0) + 1);
  };
  if (outcome.kind === "refused") surprise(`firmware refused: ${outcome.code}`);
  if (outcome.kind === "failed" && !expectedFailures.includes(outcome.code)) {
    surprise(`update failed: ${outcome.code}`);
  }
}

export function createVirtualFirmware(plan: FirmwarePlan): VirtualFirmware {
  const { tally, now, random, targetHardware, key, onStart } = plan;
  const flash = createVirtualFlash(plan.factoryVersion, plan.habitOf);
  const clock = {
    now,
    wait: (ms: number, signal?: AbortSignal) =>
      timeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}),
  };
  const network = createUpdateNetwork({ ...plan, clock });
  let life = flash.powerUp();
  let kept = life.image.version;
  let updater: Updater | undefined;
  let holds = false;
  let untold = 0;

  function start(): void {
    const before = life.image.version;
    life = flash.powerUp();
    updater = undefined;
    const { version, habit } = life.image;
    if (version !== before && version === kept) tally.rolledBack += 1;
    if (habit === "crashes") {
      // It does not get as far as to say anything: a watchdog restarts it, and the bootloader goes back.
      tally.crashed += 1;
      start();
    } else if (version !== before) onStart(version);
  }

  async function run(): Promise<UpdateOutcome> {
    const { image, boot, ...ports } = life;
    const confirm = async () => {
      await boot.confirm();
      kept = image.version;
      tally.updated += 1;
    };
    const selfTest = async () => {
      if (image.habit === "good") return;
      tally.failedSelfTests += 1;
      throw new Error("The sensor does not answer.");
    };
    updater ??= await createUpdater({
      ...{ ...ports, network, clock, random, selfTest, targetHardware },
      boot: { ...boot, confirm },
      running: image.version,
      keys: [key],
    });
    const outcome = await updater.run();
    untold = updater.state?.outbox.length ?? 0;
    if (updater.state?.phase.kind === "idle") flash.empty();
    note(tally, outcome);
    return outcome;
  }

  return {
    get isBad() {
      return life.image.habit !== "good";
    },
    get untold() {
      return untold;
    },
    restart: start,
    async update(cutAfter) {
      holds ||= plan.slots.take();
      if (!holds) return;
      if (cutAfter !== null) flash.cutAfter(cutAfter);
      for (let restarts = 0; restarts < mostRestarts; restarts++) {
        try {
          if ((await run()).kind !== "restarting") break;
        } catch (fault) {
          if (!(fault instanceof PowerCut)) throw fault;
          tally.powerCuts += 1;
        }
        start();
      }
      if (flash.isFull) return;
      holds = false;
      plan.slots.giveBack();
    },
  };
}
