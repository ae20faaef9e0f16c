import { getHeapCodeStatistics } from "node:v8";
import type { Gateway } from "@device-gateway/core";

/** How often maintenance runs, so that each round of a measurement contains some. */
const secondMs = 1_000;

/** Runs a gateway's maintenance every second, if wanted. Returns the questions that every process with a gateway answers. */
export function createGatewayQuestions(
  gateway: Pick<Gateway, "maintain">,
  closeData: () => Promise<void>,
  everySecond = true,
) {
  let maintaining: ReturnType<Gateway["maintain"]> | undefined;
  const maintain = () => {
    maintaining ??= gateway.maintain().finally(() => {
      maintaining = undefined;
    });
    return maintaining;
  };
  // At overload a step may time out on Postgres. The next run continues where it stopped.
  const timer = setInterval(() => {
    if (everySecond) maintain().catch(() => {});
  }, secondMs);

  return {
    /** Waits for the current maintenance. */
    idle: async () => {
      await maintaining;
    },
    /** Returns how many ms the roll-ups need to catch up from now on. */
    lag: async () => {
      await maintaining;
      const start = performance.now();
      await maintain();
      return performance.now() - start;
    },
    /** Returns the heap after collection, V8's code in it, and the memory of the process, in bytes. */
    memory: () => {
      globalThis.gc?.();
      const { heapUsed, rss, external } = process.memoryUsage();
      return { heapUsed, rss, external, code: getHeapCodeStatistics().code_and_metadata_size };
    },
    close: async () => {
      clearInterval(timer);
      await maintaining?.catch(() => {});
      await closeData();
    },
  };
}
