import { expect } from "vitest";
import { canonicalJson } from "../../json.js";
import type { GatewayStore, JsonObject, SecurityEvent } from "../../store.js";
import { awkwardJson } from "./awkward-values.js";
import { eventsOf, sampleDevice, sampleEvent } from "./samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./store-case.js";

const deviceId = "gw-1";
const configured = (details: JsonObject = {}): SecurityEvent => ({
  ...sampleEvent(deviceId, details),
  kind: "device.configured",
});

async function registered(store: GatewayStore): Promise<void> {
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
}

/** The promises of `ConfigStore`. */
export const configCases: readonly StoreCase[] = [
  toCase("replaceOverrides: with its event, one revision up each time", async ([a, b]) => {
    await registered(a);
    for (const expectedRevision of [0, 1, 2]) {
      const store = expectedRevision % 2 === 0 ? a : b;
      const values = { [`name-${expectedRevision}`]: expectedRevision };
      const event = configured({ expectedRevision });
      const revision = expectedRevision + 1;
      expect(
        await store.config.replaceOverrides({ deviceId, values, expectedRevision, event }),
      ).toEqual({ kind: "replaced", revision });
      const found = await a.devices.find(deviceId);
      expect(found).toEqual({ ...sampleDevice(deviceId), configOverrides: { values, revision } });
    }
    const [, ...events] = await eventsOf(b, deviceId);
    const id = expect.any(Number);
    expect(events).toEqual([0, 1, 2].map((n) => ({ ...configured({ expectedRevision: n }), id })));
  }),

  toCase("replaceOverrides: values come back as they were sent", async ([a, b]) => {
    await registered(a);
    const input = { deviceId, values: awkwardJson, expectedRevision: 0, event: configured() };
    await a.config.replaceOverrides(input);
    const found = await b.devices.find(deviceId);
    expect(canonicalJson(found?.configOverrides.values)).toBe(canonicalJson(awkwardJson));
  }),

  toCase("replaceOverrides: conflict at any other revision changes nothing", async ([a, b]) => {
    await registered(a);
    const values = { kept: true };
    await a.config.replaceOverrides({ deviceId, values, expectedRevision: 0, event: configured() });
    for (const expectedRevision of [0, 2, -1]) {
      const input = { deviceId, values: {}, expectedRevision, event: configured() };
      expect(await b.config.replaceOverrides(input)).toEqual({ kind: "conflict" });
    }
    expect((await a.devices.find(deviceId))?.configOverrides).toEqual({ values, revision: 1 });
    expect(await eventsOf(a, deviceId)).toHaveLength(2);
  }),

  toCase("replaceOverrides: unknown without such a device, and writes no event", async ([a]) => {
    const input = { deviceId, values: {}, expectedRevision: 0, event: configured() };
    expect(await a.config.replaceOverrides(input)).toEqual({ kind: "unknown" });
    expect(await a.devices.find(deviceId)).toBeNull();
    expect(await eventsOf(a, deviceId)).toEqual([]);
  }),

  toRace("replaceOverrides: exactly one of many racers wins a revision", async (handles) => {
    await registered(handles[0]);
    const winners: number[] = [];
    for (let revision = 0; revision < 8; revision++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        store.config.replaceOverrides({
          deviceId,
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
    const [, ...events] = await eventsOf(handles[0], deviceId);
    expect(events.map(({ details }) => details.racer)).toEqual(winners);
  }),
];
