import { setTimeout as timeout } from "node:timers/promises";
import type { Fetch } from "../../call-route.js";
import { describeReason } from "../../update/describe-reason.js";
import type { Refusal } from "../../update/machine/update-event.js";
import type { UpdateOutcome } from "../../update/machine/update-outcome.js";
import { createUpdateNetwork, type UpdateTokens } from "../../update/network/update-network.js";
import type { PinnedKey } from "../../update/offer/trusted-keys.js";
import { createUpdater, type Updater } from "../../update/updater.js";
import { countOne, type FleetStats } from "./fleet-stats.js";
import { createVirtualFlash, type ImageBehaviour, PowerCut } from "./virtual-flash.js";

/** Limits how many gateways update at the same time. */
export interface UpdatePermits {
  /** Returns false if no permit is free. */
  tryAcquire(): boolean;
  release(): void;
}

export function createUpdatePermits(count: number): UpdatePermits {
  let free = count;
  return {
    tryAcquire: () => free > 0 && free-- > 0,
    release: () => void free++,
  };
}

export interface VirtualFirmwareOptions {
  readonly apiUrl: string;
  readonly fetch: Fetch;
  readonly tokens: UpdateTokens;
  readonly key: PinnedKey;
  readonly targetHardware: string;
  readonly factoryVersion: string;
  readonly now: () => number;
  readonly random: () => number;
  /** Chooses the behaviour of a new image. */
  readonly chooseBehaviour: () => ImageBehaviour;
  readonly stats: FleetStats;
  /** Limits how many images of the whole fleet are in memory. */
  readonly permits: UpdatePermits;
  /** Called when the gateway has started another version. */
  readonly onStart: (version: string) => void;
}

/** The firmware of a virtual gateway. The reference updater replaces it. */
export interface VirtualFirmware {
  /** Whether the running image crashes or fails its self-test. */
  readonly isBad: boolean;
  /** Number of reports that the server had not acknowledged after the last run. */
  readonly unreported: number;
  /** Continues an update as far as possible, with its restarts. Cuts the power after `cutAfter` operations. */
  update(cutAfter: number | null): Promise<void>;
  /** Restarts after a power cut between two updates. */
  restart(): void;
}

/** More restarts than a boot loop with its roll-back needs. */
const maxRestarts = 20;

/** Failure codes of images that are bad on purpose. */
const expectedFailures: readonly string[] = ["self_test_failed", "not_confirmed"];

export function createVirtualFirmware(options: VirtualFirmwareOptions): VirtualFirmware {
  const { stats, now, random, targetHardware, key, onStart } = options;
  const flash = createVirtualFlash(options.factoryVersion, options.chooseBehaviour);
  const clock = {
    now,
    wait: (ms: number, signal?: AbortSignal) =>
      timeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}),
  };
  const network = createUpdateNetwork({ ...options, clock });
  let cycle = flash.powerUp();
  let confirmedVersion = cycle.image.version;
  let updater: Updater | undefined;
  let hasPermit = false;
  let unreported = 0;
  /** The reasons for which it has refused firmware. It refuses an offer at each check, and counts once. */
  const refusals = new Set<Refusal>();

  function countOutcome(outcome: UpdateOutcome): void {
    if (outcome.kind === "refused" && !refusals.has(outcome.code)) {
      refusals.add(outcome.code);
      countOne(stats.refusedFirmware, outcome.code);
    }
    if (outcome.kind === "failed" && !expectedFailures.includes(outcome.code))
      countOne(stats.failedUpdates, describeReason(outcome) ?? outcome.code);
  }

  function start(): void {
    const before = cycle.image.version;
    cycle = flash.powerUp();
    updater = undefined;
    const { version, behaviour } = cycle.image;
    if (version !== before && version === confirmedVersion) stats.rolledBack += 1;
    if (behaviour === "crashes") {
      // The image crashes before it reports anything. A watchdog restarts it, and the bootloader rolls back.
      stats.crashed += 1;
      start();
    } else if (version !== before) onStart(version);
  }

  async function run(): Promise<UpdateOutcome> {
    const { image, boot, ...ports } = cycle;
    const confirm = async () => {
      await boot.confirm();
      // The updater also confirms the image from the factory.
      if (image.version !== confirmedVersion) stats.updated += 1;
      confirmedVersion = image.version;
    };
    const selfTest = async () => {
      if (image.behaviour === "good") return;
      stats.failedSelfTests += 1;
      throw new Error("The sensor does not answer.");
    };
    updater ??= await createUpdater({
      ...{ ...ports, network, clock, random, selfTest, targetHardware },
      boot: { ...boot, confirm },
      running: image.version,
      keys: [key],
    });
    const outcome = await updater.run();
    unreported = updater.state?.outbox.length ?? 0;
    if (updater.state?.phase.kind === "idle") flash.empty();
    countOutcome(outcome);
    return outcome;
  }

  return {
    get isBad() {
      return cycle.image.behaviour !== "good";
    },
    get unreported() {
      return unreported;
    },
    restart: start,
    async update(cutAfter) {
      hasPermit ||= options.permits.tryAcquire();
      if (!hasPermit) return;
      if (cutAfter !== null) flash.cutAfter(cutAfter);
      for (let restarts = 0; restarts < maxRestarts; restarts++) {
        try {
          if ((await run()).kind !== "restarting") break;
        } catch (fault) {
          if (!(fault instanceof PowerCut)) throw fault;
          stats.powerCuts += 1;
        }
        start();
      }
      if (flash.isFull) return;
      hasPermit = false;
      options.permits.release();
    },
  };
}
