import type { DeviceClient } from "@device-gateway/device-client";
import type { DemoEvent } from "./demo-event.js";
import type { DemoMemory } from "./demo-state.js";
import type { DemoFirmware } from "./firmware/demo-firmware.js";
import type { Reading } from "./recording/recording.js";
import type { Wait } from "./wait.js";

/** Everything that the demo gateway depends on, so that tests can replace it. */
export interface DemoContext {
  readonly client: DeviceClient;
  readonly memory: DemoMemory;
  /** Null if nothing signs the demo's firmware. The gateway then never updates. */
  readonly firmware: DemoFirmware | null;
  readonly recording: readonly Reading[];
  /** The server rejects records older than this. */
  readonly retentionDays: number;
  readonly claimCodeMinLength: number;
  /** Returns whether the gateway is known to have an owner. */
  readonly isOwned: () => Promise<boolean>;
  readonly now: () => number;
  readonly wait: Wait;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  readonly notify: (event: DemoEvent) => void;
}

/** What the demo gateway registers with. Its configuration is selected by the target hardware. */
export const demoDevice = {
  deviceId: "demo-gateway",
  hardwareId: "demo:thermometer",
  targetHardware: "demo-thermometer",
  firmwareVersion: "1.0.0",
} as const;

/** The demo's interval, short enough to watch. */
export const demoConfig = { telemetryIntervalSeconds: 10 };
