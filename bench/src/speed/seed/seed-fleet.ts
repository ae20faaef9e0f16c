import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySecrets } from "@device-gateway/core";
import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { createSeededRandom, sampleDevice, sampleEvent } from "@device-gateway/testing";
import jwt from "jsonwebtoken";
import { dayMs } from "../../fleet.js";
import type { StoreHost } from "../store/store-host.js";
import { openPlace, type StorePlace } from "../store/store-place.js";
import { seedStore } from "./seed-store.js";

export interface SeededFleet {
  readonly place: StorePlace;
  readonly secrets: GatewaySecrets;
  readonly deviceIds: readonly string[];
  /** File with one device per line: id and token, in an order that matches no index. */
  readonly devicesFile: string;
}

export interface SeededDevice {
  readonly deviceId: string;
  readonly token: string;
}

export const tokenKeyOf = ({ tokenKeys }: GatewaySecrets) =>
  Buffer.from(tokenKeys[0]?.jwk["k"] as string, "base64url");

/** Signs a token as the gateway does. If the gateway changes its tokens, the first request fails. */
export function signToken(secrets: GatewaySecrets, deviceId: string): string {
  return jwt.sign({ epoch: 1 }, tokenKeyOf(secrets), {
    keyid: secrets.tokenKeys[0]?.kid as string,
    header: { alg: "HS256", typ: "device+jwt" },
    issuer: "device-gateway",
    audience: "device-gateway:device",
    subject: deviceId,
    expiresIn: "24h",
  });
}

/** Registers a device whose credential is in use, through the port. */
export async function registerTemplate(
  store: GatewayStore,
  deviceId: string,
  changes: Parameters<typeof sampleDevice>[1] = {},
): Promise<void> {
  const registeredAt = Date.now();
  const device = sampleDevice(deviceId, { registeredAt, firstUsedAt: registeredAt, ...changes });
  await store.devices.register({ device, event: sampleEvent(deviceId) });
}

export const fleetIds = (count: number) =>
  Array.from({ length: count }, (_, n) => `gw-${String(n).padStart(7, "0")}`);

/** Creates a store with a fleet that has sent nothing yet. */
export async function seedFleet(
  host: StoreHost,
  folder: string,
  count: number,
  secrets: GatewaySecrets,
): Promise<SeededFleet> {
  const deviceIds = fleetIds(count);
  const place = await seedStore(host, "fleet", [{ make: registerTemplate, deviceIds }], () => {});
  return { place, secrets, ...writeSenders(folder, deviceIds, secrets) };
}

/** Writes the sending devices and their tokens to a file, in random order, so that neighbours in an index do not send in turn. */
export function writeSenders(
  folder: string,
  deviceIds: readonly string[],
  secrets: GatewaySecrets,
): Pick<SeededFleet, "deviceIds" | "devicesFile"> {
  const shuffled = [...deviceIds];
  shuffle(shuffled);
  const devicesFile = join(folder, `devices-${deviceIds.length}-${deviceIds.at(-1)}.txt`);
  const lines = shuffled.map((deviceId) => `${deviceId} ${signToken(secrets, deviceId)}\n`);
  writeFileSync(devicesFile, lines.join(""));
  return { deviceIds: shuffled, devicesFile };
}

function shuffle(items: unknown[]): void {
  const random = createSeededRandom(1);
  for (let i = items.length - 1; i > 0; i--) {
    const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
    const j = (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % (i + 1);
    [items[i], items[j]] = [items[j], items[i]];
  }
}

/** Reads the devices of a file, in its order. */
export const readDevices = (file: string): readonly SeededDevice[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [deviceId = "", token = ""] = line.split(" ");
      return { deviceId, token };
    });

/** Devices that are counted at once. */
const countedAtOnce = 8;
/** How many counts may time out: after a long load the disk is busy for a while. */
const maxTimeOuts = 100;

/** Counts the fleet's records in a store, through its port. */
export async function countRecords(fleet: SeededFleet, place: StorePlace): Promise<number> {
  const store = await openPlace(place);
  const now = Date.now();
  // The records are from the last two days. Without bounds Postgres would open a year's partitions per device.
  const all = { from: now - 3 * dayMs, to: now + dayMs, receivedFrom: 0, atMost: 1e9 };
  const asked = fleet.deviceIds.values();
  let sum = 0;
  let timeOuts = 0;
  const countOf = async (deviceId: string): Promise<number> => {
    try {
      return await store.telemetry.count({ deviceId, ...all });
    } catch (error) {
      timeOuts += 1;
      if (!(error instanceof StoreUnavailableError) || timeOuts > maxTimeOuts) throw error;
      return countOf(deviceId);
    }
  };
  const ask = async () => {
    for (const deviceId of asked) {
      const count = await countOf(deviceId);
      sum += count;
    }
  };
  await Promise.all(Array.from({ length: countedAtOnce }, ask));
  await store.close();
  return sum;
}
