import type { JsonObject, SecurityEvent } from "@device-gateway/core/store";
import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson } from "../samples/awkward-values.js";
import {
  readSecurityEvents,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const configured = (details: JsonObject = {}): SecurityEvent => ({
  ...sampleEvent(deviceId, details),
  kind: "device.configured",
});

const operator = { deviceId, ownerId: null };

/** Cases for `ConfigStore`. */
export const configCases: readonly StoreCase[] = [
  toCase("replaceOverrides: writes its event and raises the revision by one", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    for (const expectedRevision of [0, 1, 2]) {
      const store = expectedRevision % 2 === 0 ? a : b;
      const values = { [`name-${expectedRevision}`]: expectedRevision };
      const event = configured({ expectedRevision });
      const revision = expectedRevision + 1;
      expect(
        await store.config.replaceOverrides({ ...operator, values, expectedRevision, event }),
      ).toEqual({ kind: "replaced", revision });
      const found = await a.devices.find(deviceId);
      expect(found).toEqual({ ...sampleDevice(deviceId), configOverrides: { values, revision } });
    }
    const [, ...events] = await readSecurityEvents(b, deviceId);
    const id = expect.any(Number);
    expect(events).toEqual([0, 1, 2].map((n) => ({ ...configured({ expectedRevision: n }), id })));
  }),

  toCase("replaceOverrides: values are read back as sent", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const input = { ...operator, values: awkwardJson, expectedRevision: 0, event: configured() };
    await a.config.replaceOverrides(input);
    const found = await b.devices.find(deviceId);
    expect(canonicalJson(found?.configOverrides.values)).toBe(canonicalJson(awkwardJson));
  }),

  toCase(
    "replaceOverrides: returns conflict at another revision and changes nothing",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      const values = { kept: true };
      await a.config.replaceOverrides({
        ...operator,
        values,
        expectedRevision: 0,
        event: configured(),
      });
      for (const expectedRevision of [0, 2, -1]) {
        const input = { ...operator, values: {}, expectedRevision, event: configured() };
        expect(await b.config.replaceOverrides(input)).toEqual({ kind: "conflict" });
      }
      expect((await a.devices.find(deviceId))?.configOverrides).toEqual({ values, revision: 1 });
      expect(await readSecurityEvents(a, deviceId)).toHaveLength(2);
    },
  ),

  toCase(
    "replaceOverrides: returns unknown for an unknown device and writes no event",
    async ([a]) => {
      const input = { ...operator, values: {}, expectedRevision: 0, event: configured() };
      expect(await a.config.replaceOverrides(input)).toEqual({ kind: "unknown" });
      expect(await a.devices.find(deviceId)).toBeNull();
      expect(await readSecurityEvents(a, deviceId)).toEqual([]);
    },
  ),

  toCase("replaceOverrides: accepts the owner and returns unknown to others", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, sampleOwnership());
    await registerSampleDevice(a, "gw-2");
    const change = { values: { a: 1 }, expectedRevision: 0, event: configured() };
    for (const other of [
      { deviceId, ownerId: "other" },
      { deviceId, ownerId: "" },
      { deviceId: "gw-2", ownerId: "owner" },
    ]) {
      const outcome = await b.config.replaceOverrides({ ...change, ...other });
      expect(outcome).toEqual({ kind: "unknown" });
    }
    const stale = { ...change, deviceId, ownerId: "other", expectedRevision: 5 };
    expect(await a.config.replaceOverrides(stale)).toEqual({ kind: "unknown" });
    expect(await readSecurityEvents(a, deviceId)).toHaveLength(1);
    const own = { ...change, deviceId, ownerId: "owner" };
    expect(await b.config.replaceOverrides(own)).toEqual({ kind: "replaced", revision: 1 });
    expect((await a.devices.find(deviceId))?.configOverrides.values).toEqual({ a: 1 });
  }),

  toRace("replaceOverrides: exactly one of many racers wins a revision", async (handles) => {
    await registerSampleDevice(handles[0], deviceId);
    const winners: number[] = [];
    for (let revision = 0; revision < 8; revision++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        store.config.replaceOverrides({
          ...operator,
          values: { racer },
          expectedRevision: revision,
          event: configured({ racer }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "replaced");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "conflict")).toHaveLength(15);
      const overrides = (await handles[1].devices.find(deviceId))?.configOverrides;
      expect(overrides).toEqual({ values: { racer: winner }, revision: revision + 1 });
      winners.push(winner);
    }
    const [, ...events] = await readSecurityEvents(handles[0], deviceId);
    expect(events.map(({ details }) => details.racer)).toEqual(winners);
  }),
];
