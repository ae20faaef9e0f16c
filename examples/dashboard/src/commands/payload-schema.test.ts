import { expect, test } from "vitest";
import { readPayload, toFields } from "./payload-schema.js";

const payload = {
  type: "object",
  required: ["relay", "minutes"],
  properties: {
    relay: { enum: ["pump", "fan"], title: "Relay" },
    minutes: { type: "integer", minimum: 1, maximum: 60, default: 5 },
    factor: { type: "number" },
    note: { type: "string", description: "Shown on the display." },
    loud: { type: "boolean" },
  },
};

test("a flat schema becomes fields with labels, bounds and defaults", () => {
  const fields = toFields({ payload }) ?? [];
  expect(fields.map(({ kind, label, required }) => [kind, label, required])).toEqual([
    ["choice", "Relay", true],
    ["integer", "minutes", true],
    ["number", "factor", false],
    ["text", "note", false],
    ["boolean", "loud", false],
  ]);
  expect(fields[1]).toMatchObject({ min: 1, max: 60, initial: "5" });
  expect(fields[3]).toMatchObject({ hint: "Shown on the display." });
  expect(toFields({ payload: { type: "object" } })).toEqual([]);
});

test("a payload has numbers and booleans, and no empty optional field", () => {
  const form = new FormData();
  for (const [name, value] of [
    ["relay", "fan"],
    ["minutes", "7"],
    ["factor", ""],
    ["note", ""],
    ["loud", "on"],
  ] as const)
    form.set(name, value);
  expect(readPayload(toFields({ payload }) ?? [], form)).toEqual({
    ...{ relay: "fan", minutes: 7, loud: true },
  });
});

test("a nested schema has no fields", () => {
  const nested = { type: "object", properties: { at: { type: "object" } } };
  expect(toFields({ payload: nested })).toBeUndefined();
});
