import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { anyone } from "./api/principal.js";
import { generateSecrets } from "./auth/generate-secrets.js";
import type { GatewaySecrets, TokenKey } from "./auth/secrets.js";
import { createGateway } from "./gateway.js";
import type { GatewayOptions } from "./gateway-options.js";
import type { SlowHash } from "./ports/slow-hash.js";

const options = { store: createMemoryStore(), secrets: generateSecrets() };

test("an invalid option is rejected, and the message names it", async () => {
  const secrets = options.secrets;
  const invalid = {
    secrets: { ...options, secrets: { ...secrets, pepper: "short" } },
    limits: { ...options, limits: { bodyBytes: 0 } },
    telemetryPerMinute: { ...options, limits: { telemetryPerMinute: 1.5 } },
    unknownLimit: { ...options, limits: { unknownLimit: 1 } },
    basePaths: { ...options, basePaths: ["api/"] },
    publicUrl: { ...options, publicUrl: "gateway.example.com" },
    tokenKeys: { ...options, secrets: { ...secrets, tokenKeys: [] } },
  };
  for (const [name, wrong] of Object.entries(invalid)) {
    const message = await createGateway(wrong as GatewayOptions).then(
      () => "created",
      (error: Error) => error.message,
    );
    expect(message).toContain(name);
  }
  await expect(createGateway({ ...options, basePaths: [] })).rejects.toThrow("basePaths");
});

test("an option of the wrong kind or an unknown one is rejected, and the message says what to pass", async () => {
  const wrong: [name: string, value: unknown, advice: RegExp][] = [
    ["customer", {}, /no option "customer"\. The options are .*customers/],
    ["toString", {}, /no option "toString"/],
    ["customers", async () => null, /customers is invalid\. Pass \{ authenticateToken/],
    ["sessions", { authenticateToken: async () => null }, /Pass \{ authenticateRequest/],
    ["logger", { log: () => {} }, /logger is invalid\. .* such as a pino logger/],
    ["firmware", { keys: [] }, /firmware is invalid\. Pass \{ keys/],
    ["firmware", { key: [], artifacts: {} }, /Pass \{ keys/],
    ["slowHash", () => {}, /createLibuvSlowHash\(\)/],
    ["scryptCost", { logN: 15 }, /logN, r, p/],
    ["summaryMetrics", "soc", /Pass a list of names/],
    ["basePaths", "/api", /Pass a list .*\["\/api\/v1"\]/],
    ["config", { default: {} }, /settings, defaults, byTargetHardware/],
    ["metadata", { indexed: ["site"] }, /Pass \{ schema, ownerReadable, indexed \}/],
    ["requireVerifiedEmail", "no", /true or false/],
    ["rotateSecretAfterSeconds", -1, /whole number of seconds/],
    ["limits", 5, /an object with some of the limits/],
    ["secrets", undefined, /generateSecrets\(\)/],
  ];
  for (const [name, value, advice] of wrong) {
    const built = createGateway({ ...options, [name]: value });
    await expect(built, name).rejects.toThrow(TypeError);
    await expect(built, name).rejects.toThrow(advice);
  }
  class Customers {
    async authenticateToken() {
      return null;
    }
  }
  await createGateway({ ...options, customers: new Customers(), logger: console });
});

test("an unknown event and a listener that is not a function are rejected", async () => {
  const { on } = await createGateway(options);
  expect(() => on("device.claimd" as "device.claimed", () => {})).toThrow(
    /no event "device\.claimd".*device\.claimed/,
  );
  expect(() => on("device.claimed", undefined as never)).toThrow(/pass a function/);
});

test("a missing or unopened store is rejected, and the message says what to pass", async () => {
  const { secrets, store } = options;
  for (const wrong of [undefined, {}, { secrets }, { secrets, store: Promise.resolve(store) }]) {
    const built = createGateway(wrong as unknown as GatewayOptions);
    await expect(built).rejects.toThrow(TypeError);
    await expect(built).rejects.toThrow(/^createGateway: store is invalid\. Pass an open store/);
  }
});

test("secrets that are short, not random or used twice are rejected and not shown", async () => {
  const { tokenKeys, pepper } = options.secrets;
  const keyOf = (kid: string, k: string): TokenKey => ({
    kid,
    alg: "HS256",
    jwk: { kty: "oct", k },
  });
  const other = generateSecrets().pepper;
  const rejected: [GatewaySecrets, RegExp][] = [
    [{ tokenKeys, pepper: "A".repeat(43) }, /pepper|guessed/],
    [{ tokenKeys, pepper: "device-gateway-".repeat(3) }, /pepper|guessed/],
    [{ tokenKeys: [keyOf("a", "changeme".repeat(6))], pepper }, /tokenKeys\[0\]|guessed/],
    [{ tokenKeys: [keyOf("a", "c2hvcnQ")], pepper }, /guessed|256 bits/],
    [{ tokenKeys: [keyOf("a", pepper)], pepper }, /used twice/],
    [{ tokenKeys: [keyOf("a", other), keyOf("b", other)], pepper }, /used twice/],
  ];
  for (const [secrets, sentence] of rejected) {
    const message = await createGateway({ ...options, secrets }).then(
      () => "created",
      (error: Error) => error.message,
    );
    expect(message).toMatch(sentence);
    expect(message).toMatch(/generateSecrets\(\)/);
    expect(message).not.toContain(pepper);
    expect(message).not.toContain(other);
  }
  await createGateway({
    ...options,
    secrets: { tokenKeys: [keyOf("new", other), ...tokenKeys], pepper },
  });
});

test("generated secrets differ and are long enough", () => {
  const [a, b] = [generateSecrets(), generateSecrets()];
  expect(a.pepper).toMatch(/^[\w-]{43}$/);
  expect(a.pepper).not.toBe(b.pepper);
  expect(a.tokenKeys[0]?.jwk["k"]).not.toBe(b.tokenKeys[0]?.jwk["k"]);
});

test("§1 by default a claim code is hashed by scrypt with 32 MiB and three passes", async () => {
  const costs: unknown[] = [];
  const slowHash: SlowHash = {
    async derive(_password, _salt, cost) {
      costs.push(cost);
      return new Uint8Array(32);
    },
  };
  const gateway = await createGateway({ ...options, store: createMemoryStore(), slowHash });
  const device = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" };
  const body = { ...device, claimCode: "ABCD-EFGH" };
  (await gateway.as(anyone).registerDevice({ body }))._unsafeUnwrap();
  // RFC 7914, section 2: scrypt needs 128 · N · r bytes, here 2^25.
  expect(costs).toEqual([{ logN: 15, r: 8, p: 3 }]);
});
