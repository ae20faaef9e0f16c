import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySecrets } from "@device-gateway/core";
import { createSeededRandom, sampleDevice, sampleEvent } from "@device-gateway/core/testing";
import jwt from "jsonwebtoken";
import { copyPlace, newPlace, openPlace, type StoreKind, type StorePlace } from "./bench-store.js";
import { createScratch } from "./scratch.js";

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

/** Registers devices whose credentials are in use, in memory where there is such a folder. */
export async function seedFleet(
  kind: StoreKind,
  folder: string,
  count: number,
  secrets: GatewaySecrets,
): Promise<SeededFleet> {
  const memory = createScratch("memory");
  const seed = newPlace(kind, memory.folder, "seed");
  const store = await openPlace(seed);
  const deviceIds = Array.from({ length: count }, (_, n) => `gw-${String(n).padStart(7, "0")}`);
  const registeredAt = Date.now();
  for (const deviceId of deviceIds) {
    const device = sampleDevice(deviceId, { registeredAt, firstUsedAt: registeredAt });
    await store.devices.register({ device, event: sampleEvent(deviceId) });
  }
  await store.close();
  const place = copyPlace(seed, newPlace(kind, folder, "seed"));
  memory.remove();

  // Neighbours in an index must not be neighbours in time.
  shuffle(deviceIds);
  const devicesFile = join(folder, "devices.txt");
  const lines = deviceIds.map((deviceId) => `${deviceId} ${signToken(secrets, deviceId)}\n`);
  writeFileSync(devicesFile, lines.join(""));
  return { place, secrets, deviceIds, devicesFile };
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

/** How many records a store has of the fleet, by its own port. */
export async function countRecords(fleet: SeededFleet, place: StorePlace): Promise<number> {
  const store = await openPlace(place);
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, receivedFrom: 0, atMost: 1e9 };
  let sum = 0;
  for (const deviceId of fleet.deviceIds) sum += await store.telemetry.count({ deviceId, ...all });
  await store.close();
  return sum;
}
