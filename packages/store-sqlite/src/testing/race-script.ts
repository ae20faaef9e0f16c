/**
 * One of several processes that race: opens each file named on standard input and, for every line
 * `<file> <deviceId>`, registers the device and then sets its configuration, each in two tries at
 * once. Prints the outcomes as JSON.
 */
import { createInterface } from "node:readline";
import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent } from "@device-gateway/core/testing";
import { openSqliteStore } from "../open-sqlite-store.js";

const stores = new Map<string, GatewayStore>();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function openOnce(file: string): Promise<GatewayStore> {
  const store = stores.get(file) ?? (await openSqliteStore({ file }));
  stores.set(file, store);
  return store;
}

async function raceFor(store: GatewayStore, deviceId: string): Promise<string> {
  const racer = String(process.pid);
  const device = sampleDevice(deviceId);
  const event = sampleEvent(deviceId, { racer });
  const registering = [1, 2].map(() => store.devices.register({ device, event }));
  const registered = await Promise.all(registering);
  const input = { deviceId, values: { racer }, expectedRevision: 0, event };
  const replacing = [1, 2].map(() => store.config.replaceOverrides(input));
  const replaced = await Promise.all(replacing);
  return JSON.stringify([...registered, ...replaced].map(({ kind }) => kind));
}

print("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [file = "", deviceId = ""] = line.split(" ");
  print(await raceFor(await openOnce(file), deviceId));
}
for (const store of stores.values()) await store.close();
