import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { hasDemoAccount } from "../accounts/demo/has-demo-account.js";
import type { Settings } from "../settings/settings.js";
import type { Terminal } from "../terminal/terminal.js";
import { createDemoCommands } from "./demo-commands.js";
import { demoDevice } from "./demo-context.js";
import { createDemoMemory } from "./demo-state.js";
import { createDemoFirmware } from "./firmware/demo-firmware.js";
import type { DemoKey } from "./firmware/demo-key.js";
import { isOwned } from "./is-owned.js";
import { createNarrator } from "./narrate.js";
import { readRecording } from "./recording/recording.js";
import { runDemo } from "./run-demo.js";
import { wait as realWait, type Wait } from "./wait.js";

interface DemoOptions {
  readonly url: string;
  readonly key: DemoKey | null;
  /** Default: waits in real time. */
  readonly wait?: Wait;
}

export interface RunningDemo {
  /** Stops the demo gateway. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the demo gateway. It uses the server's HTTP API like any other device. */
export function startDemo(
  settings: Settings,
  { url, key, wait = realWait }: DemoOptions,
  terminal: Terminal,
): RunningDemo {
  const stopping = new AbortController();
  const customer = hasDemoAccount(settings);
  const commands = createDemoCommands({
    url,
    publicUrl: settings.PUBLIC_URL,
    dataDir: settings.DATA_DIR,
    customer,
  });
  const run = async () => {
    const recording = await readRecording();
    const client = createDeviceClient({ baseUrl: url });
    const notify = createNarrator(terminal, commands);
    await runDemo({
      client,
      firmware:
        key &&
        createDemoFirmware({
          device: demoDevice,
          folder: settings.DATA_DIR,
          publicUrl: settings.PUBLIC_URL ?? url,
          url,
          pem: key.pem,
          token: () => client.token,
          notify,
          selfTest: async () => {
            const reply = await client.readConfig();
            if (reply.isErr()) throw new Error(reply.error.message);
          },
        }),
      memory: createDemoMemory(join(settings.DATA_DIR, "demo-gateway.json")),
      recording,
      retentionDays: settings.DG_RETENTION_TELEMETRY_DAYS,
      claimCodeMinLength: settings.DG_CLAIM_CODE_MIN_LENGTH,
      isOwned: async () => customer && isOwned(url, settings.DATA_DIR),
      now: Date.now,
      wait,
      signal: stopping.signal,
      notify,
    });
  };
  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}
