import { expect, test } from "vitest";
import { z } from "zod";
import { createCommandRules } from "./command-rules.js";

const find = (payload: z.ZodType) =>
  createCommandRules({ blink: { payload, sentBy: ["owner"] } })
    .find("blink")
    ._unsafeUnwrap();

test("a declaration with an invalid name or time is rejected", () => {
  const payload = z.object({});
  for (const name of ["", "a b", "x".repeat(65)]) {
    expect(() => createCommandRules({ [name]: { payload, sentBy: ["owner"] } })).toThrow(/name/);
  }
  for (const seconds of [0, 1.5, 2_592_001]) {
    const declared = { payload, sentBy: ["owner"], answerWithinSeconds: seconds } as const;
    expect(() => createCommandRules({ blink: declared })).toThrow(/answerWithinSeconds/);
  }
});

test("a schema that is asynchronous or returns no object is rejected when it is used", () => {
  expect(() => find(z.object({}).refine(async () => true)).check({})).toThrow(/asynchronous/);
  expect(() => find(z.object({}).transform(() => "text")).check({})).toThrow(/no object/);
});

test("what a schema returns is stored as JSON", () => {
  const at = z.object({ at: z.string().transform((text) => new Date(text)) });
  const checked = find(at).check({ at: "2026-01-31T12:00:00Z" });
  expect(checked._unsafeUnwrap()).toEqual({ at: "2026-01-31T12:00:00.000Z" });
});

test("without declarations, the gateway's own command can be sent, and nobody can declare it", () => {
  const rules = createCommandRules();
  const [error] = rules.find("blink")._unsafeUnwrapErr();
  expect(error).toMatchObject({ path: "name", message: expect.stringContaining("update-now") });
  const updateNow = rules.find("update-now")._unsafeUnwrap();
  expect(updateNow.sentBy).toEqual(["owner"]);
  expect(updateNow.check({})._unsafeUnwrap()).toEqual({});
  const declared = { "update-now": { payload: z.object({}), sentBy: ["operator"] } } as const;
  expect(() => createCommandRules(declared)).toThrow(/declared by the gateway itself/);
});
