import type { DemoContext } from "./demo-context.js";
import { DemoError } from "./demo-event.js";
import type { DemoState } from "./demo-state.js";
import { liveTemperature } from "./recording/live-temperature.js";
import { replay, toRecord } from "./recording/replay.js";
import { signIn, withToken } from "./sign-in.js";
import { takeUpdates } from "./take-updates.js";

/** How long the gateway waits before it checks again for an update that it did not install. */
const checkEveryMs = 60_000;

async function readConfig(context: DemoContext) {
  const reply = await withToken(context, () => context.client.readConfig());
  if (reply.kind === "refused") throw new DemoError(reply.error.message);
  const { telemetryIntervalSeconds = 60, configVersion = "" } = reply.value ?? {};
  const { otaUpdateRequestId } = reply.value ?? {};
  context.notify({ kind: "configured", intervalSeconds: telemetryIntervalSeconds });
  return { intervalSeconds: telemetryIntervalSeconds, configVersion, otaUpdateRequestId };
}

/** Answers the owner's "update now": checks for updates at once, then reports the running version. */
async function updateNow(context: DemoContext, requestId: string): Promise<void> {
  const { firmware } = context;
  if (firmware === null) return;
  await takeUpdates(context);
  await firmware.answer(requestId, `runs ${await firmware.running()}`);
}

/** Sends one reading each interval, from where the recording ended. */
async function goLive(
  context: DemoContext,
  { anchor }: DemoState,
  config: Awaited<ReturnType<typeof readConfig>>,
): Promise<never> {
  const { client, recording, now, wait, signal, notify } = context;
  let { intervalSeconds, configVersion } = config;
  let lastCheckAt = now();
  for (;;) {
    const at = now();
    const temperature = liveTemperature(recording, Math.max(0, at - anchor));
    const record = toRecord({ at, temperature });
    const reply = await withToken(context, () => client.sendTelemetry(record));
    if (reply.kind === "refused") throw new DemoError(reply.error.message);
    notify({ kind: "live", at, temperature, intervalSeconds });
    if (reply.value.configVersion !== configVersion) {
      const changed = await readConfig(context);
      ({ intervalSeconds, configVersion } = changed);
      if (changed.otaUpdateRequestId !== undefined) {
        await updateNow(context, changed.otaUpdateRequestId);
      }
    }
    if (reply.value.updateAvailable && now() - lastCheckAt >= checkEveryMs) {
      lastCheckAt = now();
      await takeUpdates(context);
    }
    await wait(intervalSeconds * 1000, signal);
  }
}

/**
 * Runs a gateway against a server: logs in, reads its configuration, sends its recording and continues live until the
 * signal aborts. Never rejects: it reports a failure as an event.
 */
export async function runDemo(context: DemoContext): Promise<void> {
  try {
    const state = await signIn(context);
    const config = await readConfig(context);
    await replay(context, state);
    await takeUpdates(context);
    await goLive(context, state, config);
  } catch (error) {
    if (context.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    context.notify({ kind: "failed", reason });
  }
}
