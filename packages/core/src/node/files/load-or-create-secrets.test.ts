import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { loadOrCreateSecrets } from "./load-or-create-secrets.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "secrets-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("secrets are created once, readable by their owner only, and read at each later start", async () => {
  const file = join(folder, "secrets.json");
  const first = await loadOrCreateSecrets(file);
  expect(await loadOrCreateSecrets(file)).toEqual(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["secrets.json"]);
});

test("processes that start at once get the same secrets", async () => {
  const file = join(folder, "secrets.json");
  const loaded = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecrets(file)));
  expect(new Set(loaded.map((secrets) => secrets.pepper)).size).toBe(1);
  expect(await readdir(folder)).toEqual(["secrets.json"]);
});

test("a file that uses a secret twice is rejected with its place, not with the secret", async () => {
  const file = join(folder, "secrets.json");
  const { tokenKeys, pepper } = generateSecrets();
  const jwk = { kty: "oct", k: pepper };
  const reused = { tokenKeys: [...tokenKeys, { kid: "b", alg: "HS256", jwk }], pepper };
  await writeFile(file, JSON.stringify(reused));
  await expect(loadOrCreateSecrets(file)).rejects.toThrow(/tokenKeys\.1: The secret is used twice/);
  await expect(loadOrCreateSecrets(file)).rejects.not.toThrow(pepper);
});

test("a file whose token keys share a kid is rejected with an explanation", async () => {
  const file = join(folder, "secrets.json");
  const { tokenKeys, pepper } = generateSecrets();
  const kid = tokenKeys[0]?.kid;
  const others = generateSecrets().tokenKeys.map((key) => ({ ...key, kid }));
  const twice = { tokenKeys: [...tokenKeys, ...others], pepper };
  await writeFile(file, JSON.stringify(twice));
  await expect(loadOrCreateSecrets(file)).rejects.toThrow(
    `(tokenKeys.1.kid: Another key has the kid "${kid}". Give each key its own kid.`,
  );
});

test("an unusable file is reported and left unchanged", async () => {
  const file = join(folder, "secrets.json");
  for (const content of ["", "{", '{"pepper":"short"}']) {
    await writeFile(file, content);
    await expect(loadOrCreateSecrets(file)).rejects.toThrow(file);
    expect(await readFile(file, "utf8")).toBe(content);
  }
});
