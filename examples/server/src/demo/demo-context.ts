import type { DeviceClient } from "@device-gateway/device-client";
import type { DemoEvent } from "./demo-event.js";
import type { DemoFirmware } from "./demo-firmware.js";
import type { DemoMemory } from "./demo-state.js";
import type { Reading } from "./recording.js";
import type { Wait } from "./wait.js";

/** What the demo gateway lives on. Everything that tests must control is here. */
export interface DemoContext {
  readonly client: DeviceClient;
  readonly memory: DemoMemory;
  /** Null where nothing signs its firmware: then it stays as it is. */
  readonly firmware: DemoFirmware | null;
  readonly recording: readonly Reading[];
  /** What is older than this the server would not take. */
  readonly retentionDays: number;
  readonly claimCodeMinLength: number;
  /** Whether somebody has claimed it, as far as this can be told. */
  readonly isOwned: () => Promise<boolean>;
  readonly now: () => number;
  readonly wait: Wait;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  readonly tell: (event: DemoEvent) => void;
}

/** What the demo gateway says of itself; its configuration is found by the target hardware. */
export const demoDevice = {
  deviceId: "demo-gateway",
  hardwareId: "demo:thermometer",
  targetHardware: "demo-thermometer",
  firmwareVersion: "1.0.0",
} as const;

/** The demo's pace: a reading often enough to watch. */
export const demoConfig = { telemetryIntervalSeconds: 10 };
