import { createDeviceClient } from "@device-gateway/device-client";
import { expect } from "vitest";
import { createCustomer } from "./customer.js";

const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

/** Registers devices, claims them for a customer, and sends a temperature from each. Returns their secrets. */
export async function addDevices(
  baseUrl: string,
  token: string,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  for (const deviceId of deviceIds) {
    const device = createDeviceClient({ baseUrl });
    const { deviceSecret } = (await device.register({ deviceId, ...identity }))._unsafeUnwrap();
    secrets.set(deviceId, deviceSecret);
    const claimed = await createCustomer(baseUrl, token).claim(deviceId, identity.claimCode);
    expect(claimed.status).toBe(200);
    (await device.sendTelemetry({ temperature: 21 }))._unsafeUnwrap();
  }
  return secrets;
}

/** Expects that devices log in and send, and that the server still has what `addDevices` sent. */
export async function expectDevices(
  baseUrl: string,
  token: string,
  secrets: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [deviceId, deviceSecret] of secrets) {
    const device = createDeviceClient({ baseUrl });
    (await device.login({ deviceId, deviceSecret }))._unsafeUnwrap();
    (await device.sendTelemetry({ temperature: 23 }))._unsafeUnwrap();
    const chart = await fetch(
      `${baseUrl}/api/v1/dashboard/devices/${deviceId}/telemetry/history?metrics=temperature&interval=raw`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(await chart.json()).toMatchObject({
      points: [{ temperature: 21 }, { temperature: 23 }],
    });
  }
  const listed = await createCustomer(baseUrl, token).listDevices();
  const ids = [...secrets.keys()].sort();
  expect(listed.body?.["devices"]).toMatchObject(ids.map((id) => ({ id })));
}
