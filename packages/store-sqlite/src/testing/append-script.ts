/**
 * Appends to the file given as first argument until it is killed: four calls of three records at a
 * time. Prints the number of each call once it is durable.
 */
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { openSqliteStore } from "../open-sqlite-store.js";

const store = await openSqliteStore({ file: process.argv[2] ?? "" });
await store.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });

async function appendForever(worker: number): Promise<never> {
  for (let call = worker; ; call += 4) {
    const records = [0, 1, 2].map((n) => sampleRecord({ seq: call * 3 + n, value: { call } }));
    await store.telemetry.append({ deviceId: "gw-1", receivedAt: sampleTime, records, once: null });
    await new Promise<void>((resolve) => process.stdout.write(`${call}\n`, () => resolve()));
  }
}

await Promise.all([0, 1, 2, 3].map(appendForever));
