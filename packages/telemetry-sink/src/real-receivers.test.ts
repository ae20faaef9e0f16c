import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { GatewayStore } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { afterEach, describe, expect, inject, it } from "vitest";
import { bundleProgram } from "../../../scripts/bundle-programs.js";
import { createMigratedDatabase } from "../../store-postgres/src/testing/migrated-database.js";
import { createTemporaryFile } from "../../store-sqlite/src/testing/temporary-file.js";
import { startTelemetrySink } from "./telemetry-sink.js";
import {
  createRealReceiver,
  missingReceiver,
  queryInflux,
  type ReceiverKind,
  type StoredValues,
} from "./testing/real-receiver.js";

const devices = ["gw-1", "gw-2", "gw-3"];
/** Enough records for each kill to hit some, and few enough to read all of them quickly in the end. */
const betweenRecordsMs = 3;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

async function registerDevices(store: GatewayStore): Promise<void> {
  for (const deviceId of devices) {
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  }
}

async function openPlace(kind: "sqlite" | "postgres") {
  if (kind === "sqlite") {
    const { file, remove } = createTemporaryFile();
    undo.push(remove);
    return { place: file, store: await openSqliteStore({ file }) };
  }
  const { url, remove } = await createMigratedDatabase(inject("postgresUrl"));
  undo.push(remove);
  return { place: url, store: await openPostgresStore({ url, poolSize: 4 }) };
}

/** Runs the sink as a process that can be killed. */
async function startSinkProcess(place: string, url: string) {
  const program = await bundleProgram("packages/telemetry-sink/src/testing/sink-script.ts");
  const child = spawn(process.execPath, [program, place, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let written = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    written = Number(line);
  });
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  undo.push(kill);
  return {
    kill,
    untilWrites: (more = 1) => expect.poll(() => written).toBeGreaterThanOrEqual(more),
  };
}

/** Sends records of all devices until it is stopped. Some are a day old, and some have the time of an earlier one. */
function startFleet(store: GatewayStore) {
  const expected = new Map<string, number>();
  let isStopped = false;
  async function send(deviceId: string): Promise<void> {
    const begin = Date.now() - 86_400_000;
    for (let n = 0; !isStopped; n++) {
      const at = begin + (n % 10 === 9 ? n - 9 : n);
      const value = { n, half: n / 2, "odd one, or = not": n % 2 === 1, bms: { v: -n / 1e7 } };
      const records = [sampleRecord({ at, seq: n, value })];
      await store.telemetry.append({ deviceId, receivedAt: Date.now(), records, once: null });
      for (const [name, number] of [
        ["n", n],
        ["half", n / 2],
        ["odd one, or = not", n % 2],
        ["bms.v", -n / 1e7],
      ] as const) {
        expected.set(`${deviceId} ${name} ${at}`, number);
      }
      await wait(betweenRecordsMs);
    }
  }
  const sending = Promise.all(devices.map(send));
  return {
    expected,
    async stop() {
      isStopped = true;
      await sending;
    },
  };
}

/** Returns the first keys whose last value is missing. */
const missingIn = (stored: StoredValues, expected: ReadonlyMap<string, number>) =>
  [...expected]
    .flatMap(([key, value]) => (stored.get(key)?.includes(value) ? [] : key))
    .slice(0, 9);

const cases: readonly (readonly [ReceiverKind, "sqlite" | "postgres"])[] = [
  ["influx", "sqlite"],
  ["victoria", "postgres"],
];

describe.each(cases)("%s behind a store on %s", (kind, storage) => {
  const reason = missingReceiver(kind);
  it.skipIf(reason !== undefined)(
    `has the last value of each device, metric and millisecond, across kills of both sides${reason === undefined ? "" : ` (skipped: ${reason})`}`,
    async () => {
      const { place, store } = await openPlace(storage);
      undo.push(() => store.close());
      await registerDevices(store);
      const receiver = await createRealReceiver(kind);
      undo.push(receiver.remove);
      await receiver.start();
      const fleet = startFleet(store);
      undo.push(fleet.stop);
      for (let turn = 0; turn < 2; turn++) {
        const sink = await startSinkProcess(place, receiver.url);
        await sink.untilWrites(50);
        await receiver.kill();
        await receiver.start();
        await sink.kill();
      }
      await startSinkProcess(place, receiver.url);
      await fleet.stop();
      await expect
        .poll(async () => missingIn(await receiver.read(), fleet.expected), { interval: 250 })
        .toEqual([]);
    },
  );
});

describe("influx, after a device has sent metrics with the names of tags", () => {
  const reason = missingReceiver("influx");
  const skipped = reason === undefined ? "" : ` (skipped: ${reason})`;

  async function openInflux() {
    const receiver = await createRealReceiver("influx");
    undo.push(receiver.remove);
    await receiver.start();
    const { origin } = new URL(receiver.url);
    const count = async (condition: string): Promise<number> => {
      const select = `SELECT count("soc") FROM "telemetry" WHERE ${condition}`;
      const answer = await queryInflux(origin, select);
      return answer.results[0].series?.[0].values[0][1] ?? 0;
    };
    return { url: receiver.url, origin, count };
  }

  it.skipIf(reason !== undefined)(`finds the records of one device${skipped}`, async () => {
    const store = createMemoryStore();
    await registerDevices(store);
    const { url, count } = await openInflux();
    const value = { deviceId: 1, hardware: true, soc: 50 };
    for (const deviceId of devices) {
      const records = [sampleRecord({ value })];
      await store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
    }
    const sink = startTelemetrySink(store, { url, pollMs: 20 });
    undo.push(sink.stop);
    await expect.poll(() => sink.readLevels().written).toBe(devices.length);
    expect(await count(`"deviceId" = 'gw-1'`)).toBe(1);
    expect(await count(`"hardware" = 'gw-2'`)).toBe(devices.length);
  });

  it.skipIf(reason !== undefined)(
    `finds and deletes by tag what an older version wrote as fields${skipped}`,
    async () => {
      const { url, origin, count } = await openInflux();
      const lines = devices.map((deviceId) => `telemetry,deviceId=${deviceId} deviceId=1,soc=50 1`);
      const { status } = await fetch(url, { method: "POST", body: lines.join("\n") });
      expect(status).toBe(204);
      expect(await count(`"deviceId"::tag = 'gw-1'`)).toBe(1);
      await queryInflux(origin, "DELETE FROM telemetry WHERE deviceId::tag = 'gw-1'", "POST");
      expect(await count(`"deviceId"::tag = 'gw-1'`)).toBe(0);
      expect(await count(`"deviceId"::tag = 'gw-2'`)).toBe(1);
    },
  );
});
