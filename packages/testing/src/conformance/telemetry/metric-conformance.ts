import type { GatewayStore, MetricDescriptions } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardText } from "../samples/awkward-values.js";
import { readSecurityEvents, sampleEvent } from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const targetHardware = "esp32:gw-2";
const volts: MetricDescriptions = { voltage: { displayName: "Battery", unit: "V", decimals: 2 } };
const awkward: MetricDescriptions = {
  [awkwardText]: { displayName: awkwardText, min: -1.7e308, max: 5e-324 },
  "cells.*": {},
};

const replace = (
  store: GatewayStore,
  expected: MetricDescriptions | null,
  next: MetricDescriptions | null,
  hardware = targetHardware,
) =>
  store.metrics.replace({
    ...{ targetHardware: hardware, expected, next },
    event: { ...sampleEvent(""), kind: "metrics.described" },
  });

/** Cases for `MetricStore`. */
export const metricCases: readonly StoreCase[] = [
  toCase(
    "metrics: descriptions are read back as set, by hardware, and the event is written",
    async ([a, b]) => {
      expect(await a.metrics.find(targetHardware)).toBeNull();
      expect(await replace(a, null, awkward)).toEqual({ kind: "replaced" });
      expect(await replace(b, null, volts, awkwardText)).toEqual({ kind: "replaced" });
      const found = await b.metrics.find(targetHardware);
      expect(found).toEqual(awkward);
      expect(await a.metrics.find(awkwardText)).toEqual(volts);
      expect(await a.metrics.find(targetHardware.toUpperCase())).toBeNull();
      // What was read is what the next change expects.
      expect(await replace(b, found, null)).toEqual({ kind: "replaced" });
      expect(await a.metrics.find(targetHardware)).toBeNull();
      expect(await a.metrics.find(awkwardText)).toEqual(volts);
      const events = await readSecurityEvents(a, "");
      expect(events.map(({ kind }) => kind)).toEqual([1, 2, 3].map(() => "metrics.described"));
    },
  ),

  toCase(
    "metrics: returns conflict if the descriptions are not the expected, and changes nothing",
    async ([a, b]) => {
      expect(await replace(a, volts, {})).toEqual({ kind: "conflict" });
      expect(await replace(a, volts, null)).toEqual({ kind: "conflict" });
      await replace(a, null, volts);
      for (const expected of [null, {}, { voltage: {} }, { ...volts, current: { unit: "A" } }]) {
        expect(await replace(b, expected, { current: {} })).toEqual({ kind: "conflict" });
      }
      expect(await a.metrics.find(targetHardware)).toEqual(volts);
      expect(await readSecurityEvents(b, "")).toHaveLength(1);
    },
  ),

  toRace("metrics: exactly one of many racers replaces the descriptions", async (handles) => {
    let expected: MetricDescriptions | null = null;
    for (let round = 0; round < 8; round++) {
      const before: MetricDescriptions | null = expected;
      const nextOf = (racer: number) => ({ voltage: { min: round, max: racer } });
      const outcomes = await race(handles, 16, (store, racer) =>
        replace(store, before, nextOf(racer)),
      );
      const winner = onlyIndexOf(outcomes, "replaced");
      expect(winner, "the only winner").not.toBe(-1);
      expected = nextOf(winner);
      expect(await handles[1].metrics.find(targetHardware)).toEqual(expected);
      expect(await readSecurityEvents(handles[0], "")).toHaveLength(round + 1);
    }
  }),
];
