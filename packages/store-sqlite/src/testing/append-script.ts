/**
 * Appends to the file of its first argument until it is killed, several calls of three records at
 * a time, and prints the number of a call once it is durable.
 */
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { openSqliteStore } from "../open-sqlite-store.js";

const store = await openSqliteStore({ file: process.argv[2] ?? "" });
await store.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });

async function appendForever(lane: number): Promise<never> {
  for (let call = lane; ; call += 4) {
    const records = [0, 1, 2].map((n) => sampleRecord({ seq: call * 3 + n, value: { call } }));
    await store.telemetry.append({ deviceId: "gw-1", receivedAt: sampleTime, records, once: null });
    await new Promise<void>((resolve) => process.stdout.write(`${call}\n`, () => resolve()));
  }
}

await Promise.all([0, 1, 2, 3].map(appendForever));
