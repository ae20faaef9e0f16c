import type { DemoContext } from "./demo-context.js";
import { signInAgain } from "./sign-in.js";

/** How long the simulated restart takes, about as long as that of a small device. */
const restartMs = 2_000;

/** Runs the updater until it needs no more restarts. */
export async function takeUpdates(context: DemoContext): Promise<void> {
  const { firmware, signal, notify, wait } = context;
  if (firmware === null) return;
  for (;;) {
    signal.throwIfAborted();
    const outcome = await firmware.update(() => signInAgain(context));
    if (outcome.kind !== "restarting") return;
    notify({ kind: "restarting", version: outcome.version });
    await wait(restartMs, signal);
    // The login reports the new version.
    await signInAgain(context);
  }
}
