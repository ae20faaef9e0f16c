import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expect, test } from "vitest";
import { z } from "zod";
import { createMetadataRules } from "./metadata-rules.js";

const Site = z.object({ site: z.string().optional(), floor: z.number().optional() });
const open = z.looseObject({});
const errorsOf = (rules: ReturnType<typeof createMetadataRules>, values: object) =>
  rules.check(values as Parameters<typeof rules.check>[0])._unsafeUnwrapErr();

test("an indexed key that could not be filtered by, one that is declared twice and a ninth are rejected", () => {
  const invalid = [["a:b"], [""], ["x".repeat(65)], ["a", "a"], [..."abcdefghi"]];
  for (const indexed of invalid) {
    expect(() => createMetadataRules({ schema: open, indexed })).toThrow(/metadata\.indexed/);
  }
  createMetadataRules({ schema: open, indexed: [..."abcdefgh"] });
});

test("§8 texts, numbers and booleans are indexed, and a missing value is not", () => {
  const { check } = createMetadataRules({ schema: open, indexed: ["a", "b", "c", "d", "e"] });
  const checked = check({ a: "Pier 9", b: 1.5, c: false, d: null, f: "not indexed" });
  expect(checked._unsafeUnwrap().index).toEqual({ a: "Pier 9", b: "1.5", c: "false" });
  for (const value of [{}, ["a"], "", "two\nlines", "x".repeat(129), "\ud800"]) {
    const rules = createMetadataRules({ schema: open, indexed: ["a"] });
    expect(errorsOf(rules, { a: value })).toMatchObject([{ path: "a", code: "not_indexable" }]);
  }
});

test("§8 metadata has at most 4,096 bytes of JSON in UTF-8 and 64 keys", () => {
  const rules = createMetadataRules({ schema: open });
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
  // Two braces, two quotes around the name, one colon, and two quotes around the text.
  const text = (bytes: number) => ({ a: "é".repeat((bytes - 8) / 2) });
  expect(rules.check(keys(64)).isOk()).toBe(true);
  expect(errorsOf(rules, keys(65))).toMatchObject([
    { code: "too_big", message: expect.stringContaining("65 keys") },
  ]);
  expect(rules.check(text(4_096)).isOk()).toBe(true);
  expect(errorsOf(rules, text(4_098))).toMatchObject([
    { message: expect.stringContaining("4098 bytes") },
  ]);
});

test("a schema of any library declares metadata. Its errors name the keys, and a key that it drops is unknown", () => {
  const schema: StandardSchemaV1 = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value) => {
        const { site } = value as { site?: unknown };
        return typeof site === "string"
          ? { value: { site: site.trim(), installedAt: new Date(0) } }
          : { issues: [{ message: "Send a text.", path: [{ key: "site" }] }] };
      },
    },
  };
  const rules = createMetadataRules({ schema });
  expect(errorsOf(rules, { site: 5 })).toEqual([
    { path: "site", code: "custom", message: "Send a text." },
  ]);
  expect(errorsOf(rules, { site: "a", colour: "red" })).toMatchObject([{ path: "colour" }]);
  const installedAt = "1970-01-01T00:00:00.000Z";
  expect(rules.check({ site: " Pier " })._unsafeUnwrap().values).toEqual({
    site: "Pier",
    installedAt,
  });
});

test("a schema that validates asynchronously is rejected when it is used", () => {
  const { check } = createMetadataRules({ schema: Site.refine(async () => true) });
  expect(() => check({ site: "Pier" })).toThrow(/asynchronous/);
});

test("§8 a filter may contain colons in its value, but only an indexed key", () => {
  const { parseFilter } = createMetadataRules({ schema: Site, indexed: ["site"] });
  expect(parseFilter("site:a:b")._unsafeUnwrap()).toEqual({ key: "site", value: "a:b" });
  for (const wrong of ["floor:1", "site", "site:", "", ":", "__proto__:x"]) {
    expect(parseFilter(wrong)._unsafeUnwrapErr()).toMatchObject([{ path: "metadata" }]);
  }
});
