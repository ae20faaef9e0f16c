import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import {
  type MoveStep,
  openPostgresStore,
  splitPostgresStore,
  undoSplitPostgresStore,
} from "@device-gateway/store-postgres";
import {
  readRecordValues,
  readSecurityEvents,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  createTemporaryDatabase,
  runOn,
} from "../../store-postgres/src/testing/temporary-database.js";
import { createCellsStore } from "./create-cells-store.js";
import { splitRules } from "./split-rules.js";

const devices = Array.from({ length: 9 }, (_, n) => `gw-${n}`);
const active = sampleRelease({ status: "active", hasImage: true, activatedAt: sampleTime });
const toleratedShare = sampleUpdateRules.toleratedShare;

async function createDatabase(): Promise<string> {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  return url;
}

const send = (store: GatewayStore, deviceId: string, n: number) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: [sampleRecord({ value: { n }, at: sampleTime + n * 86_400_000 })],
  });

async function failUpdate(store: GatewayStore, deviceId: string): Promise<void> {
  for (const state of ["offered", "failed"] as const) {
    const event = {
      ...{ createdAt: sampleTime, deviceId, source: "server" as const, state },
      ...{ offeredVersion: active.version, fromVersion: "0.1.10", lastResult: state },
      ...{ lastCheckSucceeded: null, updateAvailable: null, updateApplied: null },
      ...{ progress: null, message: null },
    };
    await store.updates.report({
      report: { event, ...{ releaseId: null, servesImage: false, fingerprint: null } },
      rules: { ...sampleUpdateRules, toleratedShare: 1 },
    });
  }
}

/** Devices with records of two days, and a rollout in which four of them failed. */
async function fill(store: GatewayStore): Promise<void> {
  expect(await store.keepKeyCheck("key")).toBe("key");
  for (const deviceId of [...devices, "erased"]) {
    await registerSampleDevice(store, deviceId);
    for (const n of [0, 1]) await send(store, deviceId, n);
  }
  const event = sampleSecurityEvent("", "release.created");
  await store.releases.create({ release: active, event });
  for (const deviceId of devices.slice(0, 4)) await failUpdate(store, deviceId);
  await store.devices.erase({ deviceId: "erased", block: true, event: sampleEvent("erased") });
}

test("§1 a store that is split into a home and cells in two databases keeps devices, records, positions, events and the tally of a rollout, also if it is interrupted", async () => {
  const [url, other] = [await createDatabase(), await createDatabase()];
  const single = await openPostgresStore({ url, poolSize: 2 });
  onTestFinished(() => single.close());
  await fill(single);
  const cursor = await single.telemetry.end();
  const events = await single.securityEvents.list({ after: 0, limit: 99 });
  const places = [
    { url, schema: "cell_0" },
    { url: other, schema: "cell_1" },
    { url: other, schema: "cell_2" },
  ];
  const options = { url, cells: places, rules: splitRules(places.length) };
  const splitUntil = async (last: MoveStep["step"]) => {
    const onStep = (step: MoveStep) => {
      if (step.step !== last) return;
      if (!("table" in step) || (step.table === "devices" && step.schema === "cell_1"))
        throw new Error("killed");
    };
    await expect(splitPostgresStore({ ...options, onStep })).rejects.toThrow("killed");
  };

  await splitUntil("copied");
  await undoSplitPostgresStore(options);
  await send(single, "gw-0", 2);
  const positions = await single.telemetry.lastPositions(devices);
  for (const step of ["fenced", "prepared", "copied", "verified", "handed over"] as const) {
    await splitUntil(step);
    await expect(send(single, "gw-0", 9)).rejects.toThrow(StoreUnavailableError);
  }
  await expect(undoSplitPostgresStore(options)).rejects.toThrow("has taken place");
  expect(await splitPostgresStore(options)).toMatchObject({ wasMoved: false });
  expect(await splitPostgresStore(options)).toMatchObject({ wasMoved: true });

  const open = (each: { readonly url: string; readonly schema?: string }) =>
    openPostgresStore({ ...each, poolSize: 2 });
  const [home, ...cells] = [await open({ url }), ...(await Promise.all(places.map(open)))];
  const store = createCellsStore({ home, cells });
  onTestFinished(() => store.close());
  expect(await store.keepKeyCheck("other")).toBe("key");
  expect(
    (await Promise.all(cells.map((cell) => cell.devices.find("gw-0")))).filter(Boolean),
  ).toHaveLength(1);
  expect((await store.devices.list({ ownerId: null, after: "", limit: 99 })).length).toBe(9);
  for (const deviceId of devices) {
    const values = (await readRecordValues(store, deviceId)).map(({ n }) => n);
    expect(values).toEqual(deviceId === "gw-0" ? [0, 1, 2] : [0, 1]);
  }
  expect(await store.telemetry.lastPositions(devices)).toEqual(positions);
  expect(await store.securityEvents.list({ after: 0, limit: 99 })).toEqual(events);
  expect(await store.releases.offerable()).toMatchObject([{ version: active.version }]);

  // A reader continues after what it has read, and an erased id stays blocked.
  await send(store, "gw-8", 3);
  const followed = await store.telemetry.follow({ after: cursor, limit: 9 });
  expect(followed.records.map(({ value }) => value["n"]).sort()).toEqual([2, 3]);
  expect(
    await store.devices.register({ device: sampleDevice("erased"), event: sampleEvent("erased") }),
  ).toMatchObject({ kind: "blocked" });
  // The fifth failure halts the rollout, as without cells.
  expect(await store.settle?.({ toleratedShare, now: sampleTime })).toEqual([]);
  await failUpdate(store, "gw-4");
  expect(await store.settle?.({ toleratedShare, now: sampleTime })).toMatchObject([
    { kind: "release.halted", details: { failed: 5 } },
  ]);
  await registerSampleDevice(store, "gw-9");
  expect(await readSecurityEvents(store, "gw-9")).toHaveLength(1);
});

test("§1 a split continues only with the cells that it began with, and a home is not split again", async () => {
  const [url, other] = [await createDatabase(), await createDatabase()];
  const single = await openPostgresStore({ url, poolSize: 2 });
  onTestFinished(() => single.close());
  const split = (count: number, cellUrl: string, last?: MoveStep["step"]) =>
    splitPostgresStore({
      url,
      cells: Array.from({ length: count }, (_, n) => ({ url: cellUrl, schema: `cell_${n}` })),
      rules: splitRules(count),
      onStep: ({ step }) => {
        if (step === last) throw new Error("killed");
      },
    });
  await expect(split(2, url)).rejects.toThrow("No gateway has used the store yet");
  await expect(split(61, url), "cell_13 and cell_60").rejects.toThrow("the same advisory locks");
  await fill(single);
  await expect(split(2, url, "prepared")).rejects.toThrow("killed");
  await expect(split(3, url)).rejects.toThrow("begun with another number of cells");
  await expect(split(2, url, "handed over")).rejects.toThrow("killed");
  await expect(split(3, url)).rejects.toThrow("begun with another number of cells");
  await expect(split(2, other)).rejects.toThrow('"cell_0" were copied to another database');
  expect(await split(2, url)).toMatchObject({ wasMoved: false });
  await runOn(url, "DROP SCHEMA device_gateway__moved CASCADE");
  await expect(split(2, url)).rejects.toThrow("already split into 2 cells");
  expect(await single.devices.find("gw-0"), "the home is not shut out").toBeNull();
});
