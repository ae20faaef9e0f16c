import { createSender } from "../../../packages/webhooks/src/start-webhooks.js";
import { storageOfPlace } from "../storage.js";
import { wrapStore } from "../wrap-store.js";

/**
 * Sends webhooks until nothing is left, and kills itself at one step: before or after one of its calls of the store.
 * Prints `done` if there was no such step. A `forgetful` sender does not record what waits for another attempt.
 */
const [place = "", pepper = "", step = "", startedAt = "", mode = ""] = process.argv.slice(2);

/** The clock runs this many times faster, so that leases and pauses of retries take milliseconds. */
const speed = 1_000;
const clock = { now: () => Math.floor((Date.now() - Number(startedAt)) * speed) };

let steps = 0;
function pass(): void {
  if (steps++ === Number(step)) process.kill(process.pid, "SIGKILL");
}

const real = await storageOfPlace(place).open();
const store = wrapStore(real, async (name, run) => {
  if (mode === "forgetful" && name === "webhooks.record") return undefined;
  pass();
  const outcome = await run();
  pass();
  return outcome;
});
const sender = createSender(store, {
  ...{ secrets: { pepper }, allowIntranet: true, forOwners: true, clock },
});
process.stdout.write("ready\n");

const endpoints = await real.webhooks.list();
const readWaiting = async () =>
  (
    await Promise.all(
      endpoints.map(({ id }) => real.webhooks.waiting({ endpointId: id, limit: 1 })),
    )
  ).flat();
for (let quiet = 0; quiet < 3; ) {
  await sender.runRounds();
  const waiting = await readWaiting();
  quiet = waiting.length === 0 ? quiet + 1 : 0;
  // Another process's lease may have to expire first.
  await new Promise((resolve) => setTimeout(resolve, 40));
}
process.stdout.write("done\n");
await sender.stop();
await real.close();
