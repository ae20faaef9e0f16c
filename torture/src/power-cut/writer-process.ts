/**
 * Uses a server's storage in a new folder: registers devices, appends records, stores images and rolls up.
 * Writes each acknowledgement to a file in the same folder, so that the disk log contains its place.
 */
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { openData } from "../../../examples/server/src/data/open-data.js";
import {
  sampleDevice,
  sampleEvent,
  sampleRecord,
} from "../../../packages/testing/src/conformance/samples/samples.js";
import { createDice } from "../dice.js";

const [base = "", seed = "", commits = "", mode = ""] = process.argv.slice(2);
const dice = createDice(Number(seed));
const acks = openSync(join(base, "acks"), "a");
const acknowledge = (what: string) => void writeSync(acks, `${what}\n`);

const settings = {
  DATA_DIR: join(base, "data"),
  DATABASE_URL: undefined,
  DATABASE_POOL_SIZE: 1,
  DATABASE_SYNCHRONOUS_STANDBY: false,
  DATABASE_CELLS: 1,
  DATABASE_CELL_URLS: undefined,
  DATABASE_READ_URL: undefined,
  DATABASE_READ_LAG_SECONDS: 10,
  FIRMWARE_DIR: undefined,
};
const { store, artifacts, secrets } = await openData(settings, silentLogger);
acknowledge(`secrets ${secrets.pepper}`);

const devices = ["gw-0", "gw-1", "gw-2"];
for (const deviceId of devices) {
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  acknowledge(`device ${deviceId}`);
}

let readings = 0;
async function append(): Promise<void> {
  const deviceId = dice.pick(devices);
  const names = Array.from({ length: 1 + dice.int(4) }, () => String(readings++));
  const records = names.map((reading) =>
    sampleRecord({ value: { reading, text: "x".repeat(dice.int(2_000)) }, isTimed: false }),
  );
  const appended = store.telemetry.append({
    deviceId,
    receivedAt: Date.now(),
    records,
    once: null,
  });
  // The planted bug: the commit is still in progress.
  if (mode !== "hasty") await appended;
  for (const reading of names) acknowledge(`reading ${reading}`);
  await appended;
}

async function storeImage(): Promise<void> {
  const content = Buffer.from(dice.code(1 + dice.int(60_000)));
  const sha256 = createHash("sha256").update(content).digest("hex");
  const pieces = async function* () {
    for (let at = 0; at < content.length; at += 20_000) yield content.subarray(at, at + 20_000);
  };
  await artifacts.write({ expected: { sha256, size: content.length }, content: pieces() });
  acknowledge(`image ${sha256}`);
}

for (let n = 0; n < Number(commits); n++) {
  await Promise.all(Array.from({ length: 1 + dice.int(3) }, append));
  if (dice.chance(0.05)) await storeImage();
  if (dice.chance(0.05))
    await store.telemetry.rollUp({ before: Date.now() + 7_200_000, limit: 10 });
}
await store.close();
