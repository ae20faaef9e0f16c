import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the number of heap bytes that are still reachable. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
