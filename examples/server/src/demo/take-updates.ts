import type { DemoContext } from "./demo-context.js";
import { signInAgain } from "./sign-in.js";

/** As long as a small device takes to start. */
const restartMs = 2_000;

/** Updates the gateway's firmware as far as it goes, over its restarts. */
export async function takeUpdates(context: DemoContext): Promise<void> {
  const { firmware, signal, tell, wait } = context;
  if (firmware === null) return;
  for (;;) {
    signal.throwIfAborted();
    const outcome = await firmware.update(() => signInAgain(context));
    if (outcome.kind !== "restarting") return;
    tell({ kind: "restarting", version: outcome.version });
    await wait(restartMs, signal);
    // The login says what runs now.
    await signInAgain(context);
  }
}
