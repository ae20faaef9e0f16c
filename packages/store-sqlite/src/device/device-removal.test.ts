import {
  sampleDevice,
  sampleEvent,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { expect, it, vi } from "vitest";
import { openConnection } from "../database/connection.js";
import { createDeviceStore } from "./device-store.js";

it("many unused devices are dropped in steps", async () => {
  const connection = await openConnection(":memory:");
  const writeStep = vi.spyOn(connection, "writeStep");
  const devices = createDeviceStore(connection, async () => {});
  for (let n = 0; n < 120; n++) {
    const id = `gw-${n}`;
    await devices.register({ device: sampleDevice(id), event: sampleEvent(id) });
  }
  const event = sampleSecurityEvent("", "device.dropped");
  const drop = async (limit: number) => {
    writeStep.mockClear();
    const which = { deviceId: null, registeredBefore: sampleTime + 1, limit };
    const dropped = await devices.dropUnused({ ...which, event });
    return [dropped.length, writeStep.mock.calls.length];
  };
  expect(await drop(60)).toEqual([60, 2]);
  expect(await drop(500)).toEqual([60, 2]);
  expect(await drop(500)).toEqual([0, 1]);
  await connection.close();
});
