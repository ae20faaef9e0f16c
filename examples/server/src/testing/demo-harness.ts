import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { type DemoContext, demoDevice } from "../demo/demo-context.js";
import type { DemoEvent } from "../demo/demo-event.js";
import { createDemoMemory } from "../demo/demo-state.js";
import { createDemoFirmware } from "../demo/firmware/demo-firmware.js";
import type { DemoKey } from "../demo/firmware/demo-key.js";
import { runDemo } from "../demo/run-demo.js";
import type { TestServer } from "./start-test-server.js";

const fiveMinutes = 300_000;

/** Creates a recording of `length` different readings. */
export const recordingOf = (length: number) =>
  Array.from({ length }, (_, i) => ({ at: i * fiveMinutes, temperature: 70 + i / 10 }));

export interface DemoRun {
  readonly events: readonly DemoEvent[];
  readonly kinds: readonly string[];
}

/**
 * Runs the demo gateway until it has sent `liveReadings` live readings or has failed. Waits take no time.
 */
export async function runDemoAgainst(
  { url, settings }: Pick<TestServer, "url" | "settings">,
  {
    liveReadings = 1,
    fetch: fetchOption,
    key,
    ...overrides
  }: Partial<DemoContext> & {
    liveReadings?: number;
    fetch?: (url: string, init: RequestInit) => Promise<Response>;
    /** The key that signs its firmware. Without it, the gateway does not update. */
    key?: DemoKey;
  } = {},
): Promise<DemoRun> {
  const events: DemoEvent[] = [];
  const stopping = new AbortController();
  const client = createDeviceClient({ baseUrl: url, ...(fetchOption && { fetch: fetchOption }) });
  const firmware =
    key &&
    createDemoFirmware({
      device: demoDevice,
      folder: settings.DATA_DIR,
      publicUrl: settings.PUBLIC_URL ?? url,
      url,
      pem: key.pem,
      token: () => client.token,
      notify: (event) => events.push(event),
      selfTest: async () => {},
    });
  await runDemo({
    client,
    firmware: firmware ?? null,
    memory: createDemoMemory(join(settings.DATA_DIR, "demo-gateway.json")),
    recording: recordingOf(1_200),
    retentionDays: settings.DG_RETENTION_TELEMETRY_DAYS,
    claimCodeMinLength: settings.DG_CLAIM_CODE_MIN_LENGTH,
    isOwned: async () => false,
    now: Date.now,
    async wait() {
      const live = events.filter(({ kind }) => kind === "live").length;
      if (live < liveReadings) return;
      stopping.abort();
      stopping.signal.throwIfAborted();
    },
    signal: stopping.signal,
    notify: (event) => events.push(event),
    ...overrides,
  });
  return { events, kinds: [...new Set(events.map(({ kind }) => kind))] };
}
