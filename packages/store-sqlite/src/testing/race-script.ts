/**
 * One of several racing processes. For every line `<file> <deviceId> <race>` on standard input, it
 * runs that race for the device and prints the outcomes as JSON.
 */
import { createInterface } from "node:readline";
import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleTime } from "@device-gateway/testing";
import { openSqliteStore } from "../open-sqlite-store.js";

const stores = new Map<string, GatewayStore>();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function openOnce(file: string): Promise<GatewayStore> {
  const store = stores.get(file) ?? (await openSqliteStore({ file }));
  stores.set(file, store);
  return store;
}

const racer = String(process.pid);
type Outcomes = Promise<readonly { readonly kind: string }[]>;

/** Registers the device twice concurrently, then sets its configuration twice concurrently. */
async function register(store: GatewayStore, deviceId: string): Outcomes {
  const device = sampleDevice(deviceId);
  const event = sampleEvent(deviceId, { racer });
  const registering = [1, 2].map(() => store.devices.register({ device, event }));
  const registered = await Promise.all(registering);
  const input = { deviceId, ownerId: null, values: { racer }, expectedRevision: 0, event };
  const replacing = [1, 2].map(() => store.config.replaceOverrides(input));
  return [...registered, ...(await Promise.all(replacing))];
}

/** Claims the device for two owners concurrently. */
async function claim(store: GatewayStore, deviceId: string): Outcomes {
  const claiming = [1, 2].map((n) => {
    const owner = { ownerId: `${racer}-${n}`, claimCodeHash: "claim-code-hash", now: sampleTime };
    const event = sampleEvent(deviceId, { racer, ownerId: owner.ownerId });
    return store.claims.claim({ deviceId, ...owner, event });
  });
  return Promise.all(claiming);
}

const races: Record<string, (store: GatewayStore, deviceId: string) => Outcomes> = {
  register,
  claim,
};

print("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [file = "", deviceId = "", race = ""] = line.split(" ");
  const outcomes = await races[race]?.(await openOnce(file), deviceId);
  print(JSON.stringify(outcomes?.map(({ kind }) => kind)));
}
for (const store of stores.values()) await store.close();
