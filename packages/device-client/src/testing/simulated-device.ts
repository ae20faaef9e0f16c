import type { BootControl, FlashSlot, UpdateStorage } from "../update/update-ports.js";
import { sha256Of } from "./signing.js";

/** What a simulated image does when it runs. */
export type ImageBehaviour = "good" | "fails_self_test" | "crashes";

const header = (version: string, behaviour: ImageBehaviour) => `IMAGE ${version} ${behaviour}\n`;

/** Creates an image whose header has its version and behaviour. The rest is noise. */
export function createImage(
  version: string,
  {
    behaviour = "good",
    size = 200_000,
    seed = 1,
  }: { behaviour?: ImageBehaviour; size?: number; seed?: number } = {},
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  bytes.set(new TextEncoder().encode(header(version, behaviour)));
  return bytes;
}

function readImage(flash: Uint8Array): { version: string; behaviour: ImageBehaviour } | null {
  const text = new TextDecoder().decode(flash.subarray(0, 64));
  const match = /^IMAGE (\S+) (good|fails_self_test|crashes)\n/.exec(text);
  return match && { version: match[1] as string, behaviour: match[2] as ImageBehaviour };
}

export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

export interface BootedDevice {
  readonly running: string;
  readonly behaviour: ImageBehaviour;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
  readonly selfTest: () => Promise<void>;
}

export interface SimulatedDevice {
  /** SHA-256 of the slot at each activation. */
  readonly installed: readonly string[];
  /** Number of operations of storage, flash and bootloader so far. */
  readonly operations: number;
  /** Whether the running image is unconfirmed, so that a power cut rolls it back. */
  readonly isOnTrial: boolean;
  /** Cuts the power in the middle of the operation with this number. Null: never. */
  cutAt(operation: number | null): void;
  /** Erases the stored state when the next image starts on trial. */
  eraseStateOnTrial(): void;
  /** Starts the device. The bootloader rolls back an image on trial that was not confirmed. */
  powerUp(): BootedDevice;
}

/** A device with two slots, a bootloader that rolls back like that of ESP-IDF, and a storage. */
export function createSimulatedDevice({
  image,
  capacity = 500_000,
  random,
}: {
  readonly image: Uint8Array;
  readonly capacity?: number;
  readonly random: () => number;
}): SimulatedDevice {
  const slots = [new Uint8Array(capacity), new Uint8Array(capacity).fill(0xff)] as const;
  slots[0].set(image);
  const installed: string[] = [];
  let stored: string | null = null;
  let active: 0 | 1 = 0;
  let pending: "new" | "on_trial" | null = null;
  let operations = 0;
  let cut: number | null = null;
  let powerCycle = 0;
  let erasesState = false;

  const other = (slot: 0 | 1) => (slot === 0 ? 1 : 0);

  function powerUp(): BootedDevice {
    const ownCycle = ++powerCycle;
    // Roll back an image that was not confirmed before the restart, or that cannot run.
    if (pending === "on_trial" || (pending === "new" && readImage(slots[active]) === null)) {
      active = other(active);
      pending = null;
    } else if (pending === "new") {
      pending = "on_trial";
      if (erasesState) stored = null;
      erasesState = false;
    }
    const image = readImage(slots[active]);
    if (image === null) throw new Error("The device is bricked: no slot holds an image.");
    const spare = slots[other(active)];

    /**
     * Runs one operation. If the power fails in it, either `whole` or `torn` takes effect, and every
     * later operation of this power cycle fails.
     */
    async function operate<Value>(whole: () => Value, torn = () => {}): Promise<Value> {
      if (ownCycle !== powerCycle) throw new PowerCut("The device has restarted since.");
      operations++;
      if (operations === cut) {
        powerCycle++;
        if (random() < 0.5) torn();
        else whole();
        throw new PowerCut(`The power was cut at operation ${operations}.`);
      }
      return whole();
    }

    return {
      running: image.version,
      behaviour: image.behaviour,
      storage: {
        load: () => operate(() => stored),
        save: (text) =>
          operate(() => {
            stored = text;
          }),
      },
      slot: {
        capacity,
        begin: () => operate(() => void spare.fill(0xff)),
        write: (offset, bytes) =>
          operate(
            () => spare.set(bytes, offset),
            () => spare.set(bytes.subarray(0, Math.floor(random() * bytes.length)), offset),
          ),
        async *read(from, to) {
          for (let at = from; at < to; at += 50_000) {
            yield await operate(() => spare.slice(at, Math.min(at + 50_000, to)));
          }
        },
      },
      boot: {
        install: ({ size }) =>
          operate(() => {
            installed.push(sha256Of(spare.subarray(0, size)));
            active = other(active);
            pending = "new";
          }),
        reboot: () =>
          operate(() => {
            powerCycle++;
          }),
        confirm: () =>
          operate(() => {
            pending = null;
          }),
        rollBack: () =>
          operate(() => {
            active = other(active);
            pending = null;
            powerCycle++;
          }),
      },
      async selfTest() {
        if (image.behaviour !== "good") throw new Error("The sensor does not answer.");
      },
    };
  }

  return {
    installed,
    get operations() {
      return operations;
    },
    get isOnTrial() {
      return pending === "on_trial";
    },
    cutAt: (operation) => {
      cut = operation;
    },
    eraseStateOnTrial: () => {
      erasesState = true;
    },
    powerUp,
  };
}
