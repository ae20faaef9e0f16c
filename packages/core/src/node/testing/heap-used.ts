import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the number of heap bytes that are still reachable. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const rounds = 3;

/**
 * Measures a use of the heap in several rounds and returns the least. Other work of the process may disturb a round,
 * but a leak shows in each.
 */
export async function leastOfRounds(
  measure: (round: number) => number | Promise<number>,
): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measure(round));
  return Math.min(...measured);
}
