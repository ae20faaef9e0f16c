import { setTimeout as wait } from "node:timers/promises";
import type { Killable } from "../killable.js";

/** Waits until `/readyz` answers 200. Throws if the server exits before. Asks again after `pauseMs`. */
export async function untilReady(port: number, process: Killable, pauseMs = 20): Promise<void> {
  let hasExited = false;
  void process.ended.then(() => {
    hasExited = true;
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.status === 200) return;
    if (hasExited) throw new Error("The server exited before it was ready.");
    await wait(pauseMs);
  }
}
