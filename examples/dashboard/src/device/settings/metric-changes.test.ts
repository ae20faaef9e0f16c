import { expect, test } from "vitest";
import { toMetricChanges } from "./metric-changes.js";

const toForm = (values: Readonly<Record<string, string>>) => {
  const form = new FormData();
  const empty = { displayName: "", unit: "", decimals: "", min: "", max: "" };
  for (const [name, value] of Object.entries({ ...empty, ...values })) form.set(name, value);
  return form;
};

test("only the fields that the operator changed are sent", () => {
  const own = { displayName: "Charge", decimals: 1, min: 0 };
  const saved = { displayName: "Charge", decimals: "1", min: "0" };
  expect(toMetricChanges(toForm(saved), own)).toEqual({});
  expect(toMetricChanges(toForm({ ...saved, unit: " % " }), own)).toEqual({ unit: "%" });
  expect(toMetricChanges(toForm({ ...saved, decimals: "0" }), own)).toEqual({ decimals: 0 });
});

test("an emptied field removes its value", () => {
  expect(toMetricChanges(toForm({ unit: "V" }), { unit: "V", max: 5 })).toEqual({ max: null });
});
