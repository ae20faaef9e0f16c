import { createSeededRandom } from "@device-gateway/testing";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, expect, test } from "vitest";
import { createDeviceTokens, type DeviceTokens } from "./device-token.js";
import { generateSecrets } from "./generate-secrets.js";
import type { TokenKey } from "./secrets.js";

const now = Date.UTC(2025, 0, 1);
const hmacKey = (seed: number, kid: string): TokenKey => {
  const [key] = generateSecrets(createSeededRandom(seed)).tokenKeys as [TokenKey];
  return { ...key, kid };
};
async function pairKey(alg: "EdDSA" | "ES256", kid: string): Promise<TokenKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, jwk: { ...(await exportJWK(privateKey)) } };
}

let keys: TokenKey[];
let tokens: DeviceTokens;
beforeAll(async () => {
  keys = [hmacKey(1, "hs"), await pairKey("EdDSA", "ed"), await pairKey("ES256", "es")];
  tokens = await createDeviceTokens(keys, 3600);
});

test("§2 the first key signs, every key of the set verifies, and a removed key no longer verifies", async () => {
  const [hs, ed, es] = keys as [TokenKey, TokenKey, TokenKey];
  for (const order of [
    [hs, ed],
    [ed, es],
    [es, hs],
  ] as const) {
    const signing = await createDeviceTokens(order, 3600);
    const { token } = await signing.issue({ deviceId: "gw-1", epoch: 3, now });
    const claims = { deviceId: "gw-1", epoch: 3, expiresAt: now + 3_600_000 };
    expect(await tokens.verify(token, now)).toEqual(claims);
    const without = await createDeviceTokens([order[1]], 3600);
    expect(await without.verify(token, now)).toBeNull();
  }
});

test("§2 a token is valid until the second in which it expires", async () => {
  const { token, expiresAt, expiresIn } = await tokens.issue({ deviceId: "gw-1", epoch: 1, now });
  expect([expiresIn, expiresAt]).toEqual([3600, now + 3_600_000]);
  expect(await tokens.verify(token, expiresAt - 1000)).not.toBeNull();
  expect(await tokens.verify(token, expiresAt)).toBeNull();
});

test("§2 a token with the wrong type, audience, issuer, algorithm, key or claims is rejected", async () => {
  const [hs, , es] = keys as [TokenKey, TokenKey, TokenKey];
  const secret = Buffer.from(String(hs.jwk["k"]), "base64url");
  const header = { alg: "HS256", kid: "hs", typ: "device+jwt" };
  const claims = {
    iss: "device-gateway",
    aud: "device-gateway:device",
    sub: "gw-1",
    epoch: 1,
    exp: now / 1000 + 60,
  };
  const sign = (h: object, c: object, key: Uint8Array = secret) =>
    new SignJWT({ ...claims, ...c })
      .setProtectedHeader({ ...header, ...h } as { alg: string })
      .sign(key);
  expect(await tokens.verify(await sign({}, {}), now)).not.toBeNull();

  const publicAsSecret = new TextEncoder().encode(JSON.stringify(es.jwk).padEnd(32));
  const rejected = [
    sign({ typ: "JWT" }, {}),
    sign({ typ: undefined }, {}),
    sign({}, { aud: "customers" }),
    sign({}, { aud: undefined }),
    sign({}, { iss: "someone" }),
    sign({}, { sub: undefined }),
    sign({}, { sub: 5 }),
    sign({}, { sub: { a: 1 } }),
    sign({}, { exp: undefined }),
    sign({}, { epoch: undefined }),
    sign({}, { epoch: "1" }),
    sign({}, { nbf: now / 1000 + 60 }),
    sign({ kid: "unknown" }, {}),
    sign({ kid: undefined }, {}),
    sign({ kid: "es" }, {}, publicAsSecret),
    sign({ kid: "ed" }, {}),
    sign({ alg: "HS512" }, {}, new Uint8Array(64)),
    sign({ jwk: { kty: "oct", k: "AAAA" } }, {}, new Uint8Array(32)),
    sign({ crit: ["exp"], exp: 1 }, {}).catch(() => "unsigned"),
    "",
    "a.b.c",
  ];
  for (const [index, token] of rejected.entries()) {
    expect([index, await tokens.verify(await token, now)]).toEqual([index, null]);
  }
});

test("invalid token keys are rejected when the gateway is created", async () => {
  const pair = await pairKey("EdDSA", "public");
  const { d: _, ...publicJwk } = pair.jwk;
  const invalid: TokenKey[][] = [
    [],
    [{ ...pair, jwk: publicJwk }],
    [hmacKey(1, "same"), hmacKey(2, "same")],
    [{ kid: "short", alg: "HS256", jwk: { kty: "oct", k: "c2hvcnQ" } }],
    [{ kid: "mixed", alg: "ES256", jwk: { kty: "oct", k: "c2hvcnQ" } }],
    [{ ...(await pairKey("EdDSA", "swapped")), alg: "ES256" }],
  ];
  for (const set of invalid) await expect(createDeviceTokens(set, 60)).rejects.toThrow(TypeError);
});
