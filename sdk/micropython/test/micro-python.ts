import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** A MicroPython with a small heap, and a device's flash outside of it. It ends with the test. */
export interface MicroPython {
  /** The largest size of the heap until the latest call ended, in bytes. */
  largestHeap(): number;
  /** Calls an async function of `ports.py`. One call runs at a time. */
  call(name: string, ...given: readonly (string | number)[]): Promise<string>;
  /** The content of the slot for firmware after the latest call. */
  readonly slot: Uint8Array;
}

type Answer =
  | { readonly result: string; readonly largestHeap: number; readonly slot: Uint8Array }
  | { readonly error: string };

/** 160 KB, without the table of the garbage collector. */
export const heapLimit = 160 * 1024;

/** Starts MicroPython with a heap of 160 KB in a thread of its own, and loads the client from its source. */
export function startMicroPython(): MicroPython {
  const thread = new Worker(new URL("./micro-python-thread.mjs", import.meta.url), {
    workerData: { heapLimit },
  });
  onTestFinished(async () => void (await thread.terminate()));
  let largestHeap = 0;
  let slot: Uint8Array = new Uint8Array();
  return {
    largestHeap: () => largestHeap,
    async call(name, ...given) {
      const answered = once(thread, "message");
      thread.postMessage({ name, given });
      const [answer] = (await answered) as [Answer];
      if ("error" in answer) throw new Error(answer.error);
      ({ largestHeap, slot } = answer);
      return answer.result;
    },
    get slot() {
      return slot;
    },
  };
}
