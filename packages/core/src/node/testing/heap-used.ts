import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap that somebody still holds. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
