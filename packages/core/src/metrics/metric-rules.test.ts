import { expect, test } from "vitest";
import { createMetricRules } from "./metric-rules.js";

test("declared descriptions of a target hardware replace single fields of the defaults", () => {
  const { declaredFor } = createMetricRules({
    defaults: { soc: { unit: "%", min: 0, max: 100 } },
    byTargetHardware: { "gw-2": { soc: { displayName: "Charge" }, current: { unit: "A" } } },
  });
  expect(declaredFor("gw-1")).toEqual({ soc: { unit: "%", min: 0, max: 100 } });
  expect(declaredFor("gw-2")).toEqual({
    soc: { displayName: "Charge", unit: "%", min: 0, max: 100 },
    current: { unit: "A" },
  });
  expect(createMetricRules().declaredFor("toString")).toEqual({});
});

test("an invalid declaration is a TypeError that names the metric", () => {
  const decimals = { defaults: { soc: { decimals: -1 } } };
  expect(() => createMetricRules(decimals)).toThrow(
    /metrics\.defaults is invalid\.\nsoc\.decimals/,
  );
  const range = { byTargetHardware: { "gw-2": { soc: { min: 1, max: 1 } } } };
  expect(() => createMetricRules(range)).toThrow(/byTargetHardware\["gw-2"\].*\n?.*soc\.max/s);
});
