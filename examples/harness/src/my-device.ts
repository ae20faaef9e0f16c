import { createTestCloud, type TestCloud } from "@device-gateway/core/test-cloud";
import {
  createDevice,
  createMemoryBuffer,
  createMemoryCredentials,
  type Device,
  type DeviceEvent,
} from "@device-gateway/device-client";

/** What survives when the power goes: the flash memory of the device under test. */
export const createFlash = () => ({
  credentials: createMemoryCredentials(),
  buffer: createMemoryBuffer(),
});

export const identity = {
  deviceId: "my-device-1",
  hardwareId: "esp32:devkit-v1",
  firmwareVersion: "1.0.0",
  claimCode: "ABCD-EFGH",
};

export interface Bench {
  readonly cloud: TestCloud;
  readonly flash: ReturnType<typeof createFlash>;
  readonly events: DeviceEvent[];
  /** Powers the device up: what was only in its working memory is gone. */
  powerUp(): Device;
}

/**
 * A cloud and a device for one test. The device here is the reference client; put a simulator of
 * your firmware in its place, or real hardware and `cloud.listen({ host: "192.168.1.10" })`, the
 * machine's own address.
 */
export async function openBench(): Promise<Bench> {
  const cloud = await createTestCloud();
  const flash = createFlash();
  const events: DeviceEvent[] = [];
  return {
    cloud,
    flash,
    events,
    powerUp: () =>
      createDevice({
        baseUrl: cloud.baseUrl,
        fetch: cloud.fetch,
        clock: cloud.clock,
        sleep: cloud.sleep,
        identity,
        ...flash,
        onEvent: (event) => events.push(event),
      }),
  };
}
