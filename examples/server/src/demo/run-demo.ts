import type { DemoContext } from "./demo-context.js";
import { DemoError } from "./demo-event.js";
import type { DemoState } from "./demo-state.js";
import { liveTemperature } from "./live-temperature.js";
import { replay, toRecord } from "./replay.js";
import { signIn, withToken } from "./sign-in.js";
import { takeUpdates } from "./take-updates.js";

/** An offer that it did not take is looked at again after a while. */
const checkEveryMs = 60_000;

async function readConfig(context: DemoContext) {
  const reply = await withToken(context, () => context.client.readConfig());
  if (reply.kind === "refused") throw new DemoError(reply.error.message);
  const { telemetryIntervalSeconds = 60, configVersion = "" } = reply.value ?? {};
  const { otaUpdateRequestId } = reply.value ?? {};
  context.tell({ kind: "configured", intervalSeconds: telemetryIntervalSeconds });
  return { intervalSeconds: telemetryIntervalSeconds, configVersion, otaUpdateRequestId };
}

/** Its owner asked: it looks at once, and says what it runs then. */
async function updateNow(context: DemoContext, requestId: string): Promise<void> {
  const { firmware } = context;
  if (firmware === null) return;
  await takeUpdates(context);
  await firmware.answer(requestId, `runs ${await firmware.running()}`);
}

/** One reading each interval, on from where the recording ended. */
async function goLive(
  context: DemoContext,
  { anchor }: DemoState,
  config: Awaited<ReturnType<typeof readConfig>>,
): Promise<never> {
  const { client, recording, now, wait, signal, tell } = context;
  let { intervalSeconds, configVersion } = config;
  let checkedAt = now();
  for (;;) {
    const at = now();
    const temperature = liveTemperature(recording, Math.max(0, at - anchor));
    const record = toRecord({ at, temperature });
    const reply = await withToken(context, () => client.sendTelemetry(record));
    if (reply.kind === "refused") throw new DemoError(reply.error.message);
    tell({ kind: "live", at, temperature, intervalSeconds });
    if (reply.value.configVersion !== configVersion) {
      const fresh = await readConfig(context);
      ({ intervalSeconds, configVersion } = fresh);
      if (fresh.otaUpdateRequestId !== undefined) {
        await updateNow(context, fresh.otaUpdateRequestId);
      }
    }
    if (reply.value.updateAvailable && now() - checkedAt >= checkEveryMs) {
      checkedAt = now();
      await takeUpdates(context);
    }
    await wait(intervalSeconds * 1000, signal);
  }
}

/**
 * Lives the life of a gateway against a server: signs in, reads its configuration, sends what it
 * recorded, and goes on live until the signal aborts. Never rejects: a failure is told.
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
    context.tell({ kind: "failed", reason });
  }
}
