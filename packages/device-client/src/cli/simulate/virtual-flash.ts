import type { BootControl, FlashSlot, UpdateStorage } from "../../update/update-ports.js";

/** What an image does when it runs. */
export type ImageBehaviour = "good" | "crashes" | "fails_self_test";

/** An image of a virtual gateway. Its bytes are never executed. */
export interface VirtualImage {
  readonly version: string;
  readonly behaviour: ImageBehaviour;
}

export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** The device between two starts. After a power cut, all of its operations fail. */
export interface PowerCycle {
  readonly image: VirtualImage;
  readonly storage: UpdateStorage;
  readonly slot: FlashSlot;
  readonly boot: BootControl;
}

/** Flash memory, and a bootloader that rolls back like that of ESP-IDF. */
export interface VirtualFlash {
  /** Whether the slot holds an image in memory. */
  readonly isFull: boolean;
  /** Starts the device. If the image on trial was not confirmed, the bootloader rolls back. */
  powerUp(): PowerCycle;
  /** Cuts the power at the given number of operations from now. */
  cutAfter(operations: number): void;
  /** Frees the memory of the slot. Call it only if no update is in progress. */
  empty(): void;
}

const capacity = 64 * 1024 * 1024;
const readBytes = 65_536;

/** Creates the flash of a gateway with a good image from the factory. */
export function createVirtualFlash(
  factoryVersion: string,
  chooseBehaviour: (version: string) => ImageBehaviour,
): VirtualFlash {
  let running: VirtualImage = { version: factoryVersion, behaviour: "good" };
  let former: VirtualImage | null = null;
  let trial: "none" | "next start" | "now" = "none";
  let stored: string | null = null;
  let content = new Uint8Array(0);
  let cutIn = Number.POSITIVE_INFINITY;
  let powerCycle = 0;

  const rollBack = () => {
    running = former ?? running;
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
      const ownCycle = ++powerCycle;
      cutIn = Number.POSITIVE_INFINITY;
      if (trial === "now") rollBack();
      else if (trial === "next start") trial = "now";

      const operate = async <Value>(work: () => Value): Promise<Value> => {
        if (ownCycle === powerCycle && --cutIn <= 0) powerCycle++;
        if (ownCycle !== powerCycle) throw new PowerCut("The power was cut.");
        return work();
      };
      return {
        image: running,
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
              former = running;
              running = { version, behaviour: chooseBehaviour(version) };
              trial = "next start";
            }),
          reboot: () => operate(() => void powerCycle++),
          confirm: () =>
            operate(() => {
              trial = "none";
            }),
          rollBack: () =>
            operate(() => {
              rollBack();
              powerCycle++;
            }),
        },
      };
    },
  };
}
