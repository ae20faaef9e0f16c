import { setTimeout as wait } from "node:timers/promises";
import type { Killable } from "../killable.js";

/** Waits until a server answers that it is ready. */
export async function untilReady(port: number, process: Killable): Promise<void> {
  let over = false;
  void process.ended.then(() => {
    over = true;
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.status === 200) return;
    if (over) throw new Error("The server ended before it was ready.");
    await wait(20);
  }
}
