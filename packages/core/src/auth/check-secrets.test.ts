import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { createGateway } from "../gateway.js";
import { WrongSecretsError } from "./check-secrets.js";
import { generateSecrets } from "./generate-secrets.js";

const state = createMemoryState();
const start = (secrets = generateSecrets()) =>
  createGateway({ store: createMemoryStore(state), secrets });

test("a gateway with another pepper than the storage's is not created, and new token keys are accepted", async () => {
  const first = generateSecrets();
  await start(first);
  const other = generateSecrets();
  const failure = await start(other).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WrongSecretsError);
  expect(String(failure)).toMatch(/Pass the secrets that the other gateways on this storage use/);
  expect(String(failure)).not.toContain(other.pepper);
  await start({ ...first, tokenKeys: other.tokenKeys });
});

test("the storage keeps neither the pepper nor a hash that another purpose uses", async () => {
  const { pepper } = generateSecrets();
  const stored = await createMemoryStore(state).keepKeyCheck("unused");
  expect(stored).toMatch(/^[\w-]{43}$/);
  expect(stored).not.toBe(pepper);
});
