import {
  createDevice,
  createMemoryBuffer,
  createMemoryCredentials,
  type Device,
  type DeviceEvent,
} from "@device-gateway/device-client";
import { createTestCloud, type TestCloud } from "@device-gateway/testing/cloud";

/** Creates the flash memory of the device under test, which survives a power cut. */
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
  /** Starts the device with its flash memory and empty working memory. */
  powerUp(): Device;
}

/**
 * Creates a cloud and a device for one test. The device is the reference client. Replace it with a
 * simulator of your firmware, or with real hardware and `cloud.listen({ host: "192.168.1.10" })`,
 * where the host is the address of this machine.
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
