import type { BootControl, FlashSlot, UpdateStorage } from "../update/update-ports.js";
import { sha256Of } from "./signing.js";

/** What a simulated image does once it runs. */
export type ImageHabit = "good" | "fails_self_test" | "crashes";

const header = (version: string, habit: ImageHabit) => `IMAGE ${version} ${habit}\n`;

/** An image that says which version it is and what it does, and is noise after that. */
export function createImage(
  version: string,
  {
    habit = "good",
    size = 200_000,
    seed = 1,
  }: { habit?: ImageHabit; size?: number; seed?: number } = {},
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  bytes.set(new TextEncoder().encode(header(version, habit)));
  return bytes;
}

function readImage(flash: Uint8Array): { version: string; habit: ImageHabit } | null {
  const text = new TextDecoder().decode(flash.subarray(0, 64));
  const match = /^IMAGE (\S+) (good|fails_self_test|crashes)\n/.exec(text);
  return match && { version: match[1] as string, habit: match[2] as ImageHabit };
}

export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

export interface BootedDevice {
  readonly running: string;
  readonly habit: ImageHabit;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
  readonly selfTest: () => Promise<void>;
}

export interface SimulatedDevice {
  /** SHA-256 of what the slot held whenever it was activated. */
  readonly installed: readonly string[];
  /** Operations of storage, flash and bootloader so far. */
  readonly operations: number;
  /** Whether the image that runs would not survive a power cut. */
  readonly isOnTrial: boolean;
  /** Cuts the power in the middle of the operation with this number; null: never. */
  cutAt(operation: number | null): void;
  /** Restarts, as the bootloader decides: an image on trial that was not confirmed goes. */
  powerUp(): BootedDevice;
}

/** Two slots, a bootloader that rolls back as ESP-IDF's does, and a record of storage. */
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
  let life = 0;

  const other = (slot: 0 | 1) => (slot === 0 ? 1 : 0);

  function powerUp(): BootedDevice {
    const mine = ++life;
    // Aborted: never confirmed before the restart. Or nothing that runs.
    if (pending === "on_trial" || (pending === "new" && readImage(slots[active]) === null)) {
      active = other(active);
      pending = null;
    } else if (pending === "new") pending = "on_trial";
    const image = readImage(slots[active]);
    if (image === null) throw new Error("Bricked: no slot holds an image.");
    const spare = slots[other(active)];

    /** Half-way the power may fail: then `torn` says what is left, and this life is over. */
    async function operate<Value>(whole: () => Value, torn = () => {}): Promise<Value> {
      if (mine !== life) throw new PowerCut("This life is over.");
      operations++;
      if (operations === cut) {
        life++;
        if (random() < 0.5) torn();
        else whole();
        throw new PowerCut(`The power was cut at operation ${operations}.`);
      }
      return whole();
    }

    return {
      running: image.version,
      habit: image.habit,
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
            life++;
          }),
        confirm: () =>
          operate(() => {
            pending = null;
          }),
        rollBack: () =>
          operate(() => {
            active = other(active);
            pending = null;
            life++;
          }),
      },
      async selfTest() {
        if (image.habit !== "good") throw new Error("The sensor does not answer.");
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
    powerUp,
  };
}
