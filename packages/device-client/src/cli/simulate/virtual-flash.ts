import type { BootControl, FlashSlot, UpdateStorage } from "../../update/update-ports.js";

/** What an image does once it runs. */
export type ImageHabit = "good" | "crashes" | "fails_self_test";

/** An image that a virtual gateway runs. What is in it stays unread. */
export interface VirtualImage {
  readonly version: string;
  readonly habit: ImageHabit;
}

export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** What is between two starts: once the power is cut, nothing of it works any more. */
export interface Life {
  readonly image: VirtualImage;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
}

/** Flash memory and a bootloader that goes back as ESP-IDF's does. */
export interface VirtualFlash {
  /** Whether the slot takes up memory. */
  readonly isFull: boolean;
  /** Starts what the bootloader chooses: of an image on trial that was not confirmed, the former one. */
  powerUp(): Life;
  /** Cuts the power at so many operations from now. */
  cutAfter(operations: number): void;
  /** Gives the slot's memory back: no update is under way. */
  empty(): void;
}

const capacity = 64 * 1024 * 1024;
const readBytes = 65_536;

/** Makes the flash of a gateway that leaves the factory with a good image. */
export function createVirtualFlash(
  factoryVersion: string,
  habitOf: (version: string) => ImageHabit,
): VirtualFlash {
  let runs: VirtualImage = { version: factoryVersion, habit: "good" };
  let former: VirtualImage | null = null;
  let trial: "none" | "next start" | "now" = "none";
  let stored: string | null = null;
  let content = new Uint8Array(0);
  let cutIn = Number.POSITIVE_INFINITY;
  let life = 0;

  const goBack = () => {
    runs = former ?? runs;
    former = null;
    trial = "none";
  };

  return {
    get isFull() {
      return content.length > 0;
    },
    cutAfter(operations) {
      cutIn = operations;
    },
    empty() {
      content = new Uint8Array(0);
    },
    powerUp() {
      const mine = ++life;
      cutIn = Number.POSITIVE_INFINITY;
      if (trial === "now") goBack();
      else if (trial === "next start") trial = "now";

      const operate = async <Value>(work: () => Value): Promise<Value> => {
        if (mine === life && --cutIn <= 0) life++;
        if (mine !== life) throw new PowerCut("The power was cut.");
        return work();
      };
      return {
        image: runs,
        storage: {
          load: () => operate(() => stored),
          save: (text) =>
            operate(() => {
              stored = text;
            }),
        },
        slot: {
          capacity,
          begin: (size) =>
            operate(() => {
              content = new Uint8Array(size);
            }),
          write: (offset, bytes) => operate(() => content.set(bytes, offset)),
          async *read(from, to) {
            for (let at = from; at < to; at += readBytes) {
              yield await operate(() => content.subarray(at, Math.min(at + readBytes, to)));
            }
          },
        },
        boot: {
          install: ({ version }) =>
            operate(() => {
              former = runs;
              runs = { version, habit: habitOf(version) };
              trial = "next start";
            }),
          reboot: () => operate(() => void life++),
          confirm: () =>
            operate(() => {
              trial = "none";
            }),
          rollBack: () =>
            operate(() => {
              goBack();
              life++;
            }),
        },
      };
    },
  };
}
