import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { createGateway } from "../gateway.js";
import { WrongSecretsError } from "./check-secrets.js";
import { generateSecrets } from "./generate-secrets.js";
import { createSecretHash } from "./secret-hash.js";
import type { GatewaySecrets } from "./secrets.js";

/** Creates a gateway on a storage. */
const start = (state: MemoryState, secrets: GatewaySecrets) =>
  createGateway({ store: createMemoryStore(state), secrets });

test("a gateway with another pepper than the storage's is not created, and new token keys are accepted", async () => {
  const state = createMemoryState();
  const first = generateSecrets();
  await start(state, first);
  const other = generateSecrets();
  const failure = await start(state, other).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WrongSecretsError);
  expect(String(failure)).toMatch(/Pass the secrets that the other gateways on this storage use/);
  expect(String(failure)).not.toContain(other.pepper);
  await start(state, { ...first, tokenKeys: other.tokenKeys });
});

test("the storage keeps neither the pepper nor a hash that another purpose uses", async () => {
  const state = createMemoryState();
  const secrets = generateSecrets();
  await start(state, secrets);
  const stored = await createMemoryStore(state).keepKeyCheck("unused");
  expect(stored).toMatch(/^[\w-]{43}$/);
  expect(stored).not.toBe(secrets.pepper);
  const { encode } = createSecretHash(secrets.pepper);
  const others = [
    "device-secret",
    "claim-code",
    "device-claim-code",
    "hardware-fingerprint",
  ] as const;
  for (const purpose of others) expect(stored, purpose).not.toBe(encode(purpose, ""));
  expect(stored, "it was made with this pepper").toBe(encode("key-check", ""));
});
