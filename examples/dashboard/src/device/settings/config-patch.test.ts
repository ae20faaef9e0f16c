import fc from "fast-check";
import { expect, test } from "vitest";
import { describeConflicts, diff, type Patch, toPatch } from "./config-patch.js";

/** The algorithm of RFC 7396, section 2. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = apply(result[name], value);
  }
  return result;
}

const { layer } = fc.letrec<{ layer: Patch; value: unknown }>((tie) => ({
  // A merge patch can't set a value to null: null removes the setting.
  value: fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()), tie("layer")),
  layer: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
}));

test("§8 the difference of two configurations, applied as a merge patch to the first, gives the second", () => {
  fc.assert(
    fc.property(layer, layer, (before, after) => {
      expect(apply(before, diff(before, after))).toEqual(after);
    }),
  );
});

const answer = {
  config: { telemetryIntervalSeconds: 60, otaEnabled: true, configVersion: "v1" },
  overrides: { site: "north" },
  configVersion: "v1",
};
const form = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test("§8 the form sends only the settings that were changed", () => {
  const same = { telemetryIntervalSeconds: "60", otaEnabled: "on", overrides: '{"site":"north"}' };
  expect(toPatch(form(same), answer)).toEqual({});
  const other = { telemetryIntervalSeconds: "10", overrides: "{}" };
  expect(toPatch(form(other), answer)).toEqual({
    telemetryIntervalSeconds: 10,
    otaEnabled: false,
    site: null,
  });
  expect(toPatch(form({ ...same, overrides: "{" }), answer)).toContain("not valid JSON");
});

test("a conflict lists each setting with both values", () => {
  expect(describeConflicts({ a: 1, b: null }, { a: 2 })).toEqual([
    "a: saved 2, yours 1",
    "b: saved default, yours default",
  ]);
});
