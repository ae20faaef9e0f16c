import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySecrets } from "@device-gateway/core";
import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { createSeededRandom, sampleDevice, sampleEvent } from "@device-gateway/testing";
import jwt from "jsonwebtoken";
import { dayMs } from "../fleet.js";
import { seedStore } from "./seed-store.js";
import type { StoreHost } from "./store-host.js";
import { openPlace, type StorePlace } from "./store-place.js";

export interface SeededFleet {
  readonly place: StorePlace;
  readonly secrets: GatewaySecrets;
  readonly deviceIds: readonly string[];
  /** A device a line: its id and its token, in an order that no index shares. */
  readonly devicesFile: string;
}

export interface SeededDevice {
  readonly deviceId: string;
  readonly token: string;
}

export const tokenKeyOf = ({ tokenKeys }: GatewaySecrets) =>
  Buffer.from(tokenKeys[0]?.jwk["k"] as string, "base64url");

/** What the gateway itself would give a device; the first answer shows whether it still is. */
function signToken(secrets: GatewaySecrets, deviceId: string): string {
  return jwt.sign({ epoch: 1 }, tokenKeyOf(secrets), {
    keyid: secrets.tokenKeys[0]?.kid as string,
    header: { alg: "HS256", typ: "device+jwt" },
    issuer: "device-gateway",
    audience: "device-gateway:device",
    subject: deviceId,
    expiresIn: "24h",
  });
}

/** A device whose credential is in use; registered through the port. */
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

/** Registers a fleet that has sent nothing yet. */
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

/** Writes down who sends, with their tokens: neighbours in an index are no neighbours in time. */
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

/** The devices of a file, in its order. */
export const readDevices = (file: string): readonly SeededDevice[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [deviceId = "", token = ""] = line.split(" ");
      return { deviceId, token };
    });

/** Devices asked at a time. */
const askedAtOnce = 8;
/** How often a count may run out of time: after a long load the disk is busy for a while. */
const mostTimeOuts = 100;

/** How many records a store has of the fleet, by its own port. */
export async function countRecords(fleet: SeededFleet, place: StorePlace): Promise<number> {
  const store = await openPlace(place);
  const now = Date.now();
  // They are of the last two days. Without bounds Postgres opens a year's partitions for each device.
  const all = { from: now - 3 * dayMs, to: now + dayMs, receivedFrom: 0, atMost: 1e9 };
  const asked = fleet.deviceIds.values();
  let sum = 0;
  let timeOuts = 0;
  const countOf = async (deviceId: string): Promise<number> => {
    try {
      return await store.telemetry.count({ deviceId, ...all });
    } catch (error) {
      timeOuts += 1;
      if (!(error instanceof StoreUnavailableError) || timeOuts > mostTimeOuts) throw error;
      return countOf(deviceId);
    }
  };
  const ask = async () => {
    for (const deviceId of asked) {
      const count = await countOf(deviceId);
      sum += count;
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, ask));
  await store.close();
  return sum;
}
