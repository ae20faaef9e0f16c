import { expect, test } from "vitest";
import { createSeal } from "./seal.js";

const pepper = Buffer.alloc(32, 7).toString("base64url");
const secrets = {
  url: "https://ann:hunter2@example.com/hook",
  secrets: [{ value: "whsec_c2VjcmV0", until: null }],
};

test("the secrets of a webhook are encrypted, and different each time", () => {
  const seal = createSeal(pepper);
  const [sealed, again] = [seal.close("1", secrets), seal.close("1", secrets)];
  expect(sealed).not.toBe(again);
  const bytes = Buffer.from(sealed, "base64url").toString("latin1");
  for (const part of ["hunter2", "example.com", "c2VjcmV0"]) expect(bytes).not.toContain(part);
  expect(seal.open("1", sealed)).toEqual(secrets);
});

test("the secrets of a webhook open only under the same endpoint and pepper, and only unchanged", () => {
  const seal = createSeal(pepper);
  const sealed = seal.close("1", secrets);
  expect(() => seal.open("2", sealed)).toThrow();
  const other = createSeal(Buffer.alloc(32, 8).toString("base64url"));
  expect(() => other.open("1", sealed)).toThrow();
  const bytes = Buffer.from(sealed, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => seal.open("1", changed.toString("base64url"))).toThrow();
  }
});
