import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects garbage until the finalizers of what is garbage now have run. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let isFinalized = false;
  const registry = new FinalizationRegistry(() => {
    isFinalized = true;
  });
  registry.register({}, undefined);
  // Once more afterwards: a finalizer can turn other objects into garbage.
  for (let more = 2; more > 0; ) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    if (isFinalized) more -= 1;
  }
}
