import { expect } from "vitest";
import { StoreUnavailableError } from "../../store.js";
import { bodiesOf, sampleDevice, sampleEvent, sampleRecord, sampleTime } from "./samples.js";
import { type StoreCase, toCase } from "./store-case.js";

const deviceId = "gw-1";

/** The promises of `GatewayStore` itself. */
export const lifecycleCases: readonly StoreCase[] = [
  toCase("ping: resolves while the storage answers", async ([a, b]) => {
    await expect(a.ping()).resolves.toBeUndefined();
    await expect(b.ping()).resolves.toBeUndefined();
  }),

  toCase("close: again does nothing, and leaves other handles alone", async ([a, b]) => {
    await a.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
    await Promise.all([a.close(), a.close()]);
    await a.close();
    expect(await b.devices.find(deviceId)).toEqual(sampleDevice(deviceId));
    await b.ping();
  }),

  toCase("close: afterwards every method rejects as unavailable", async ([a]) => {
    await a.close();
    const { profile } = sampleDevice(deviceId);
    const event = sampleEvent(deviceId);
    const calls: (() => Promise<unknown>)[] = [
      () => a.ping(),
      () => a.devices.find(deviceId),
      () => a.devices.register({ device: sampleDevice(deviceId), event }),
      () => a.devices.recordProfile({ deviceId, profile }),
      () => a.config.replaceOverrides({ deviceId, values: {}, expectedRevision: 0, event }),
      () => a.telemetry.append({ deviceId, receivedAt: 0, records: [], once: null }),
      () => a.telemetry.read({ deviceId, after: 0, limit: 1 }),
      () => a.securityEvents.list({ after: 0, limit: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StoreUnavailableError);
  }),

  toCase("close: waits for what is under way", async ([a, b]) => {
    const writing = [1, 2, 3, 4].map((seq) =>
      a.telemetry.append({
        deviceId,
        receivedAt: sampleTime,
        records: [sampleRecord({ seq })],
        once: null,
      }),
    );
    await a.close();
    expect(await Promise.all(writing)).toHaveLength(4);
    expect(await bodiesOf(b, deviceId)).toHaveLength(4);
  }),
];
