import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createFakeClock } from "@device-gateway/testing";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterEach, expect, test, vi } from "vitest";
import { silentLogger } from "../ports/logger.js";
import { createJwtAuthenticator, type TokenClaims } from "./jwt-authenticator.js";

const expected = { issuer: "https://accounts.test", audience: "gateway" };
const secret = "0123456789abcdef0123456789abcdef";
const clock = createFakeClock();
const now = clock.now() / 1000;
const claims = { iss: expected.issuer, aud: expected.audience, sub: "alice", exp: now + 60 };
type Key = CryptoKey | Uint8Array;

const sign = (payload: object, key: Key, header: object = {}) =>
  new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg: "HS256", ...header }).sign(key);

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test.each(["accounts.test/jwks.json", "", "file:///jwks.json", undefined])(
  "an invalid URL of the key set is rejected, and the message names it: %s",
  (jwksUrl) => {
    const create = () => createJwtAuthenticator({ ...expected, jwksUrl: jwksUrl as string });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(/^jwksUrl: pass the URL .* such as "https:/);
  },
);

test("§2 a token signed with the shared secret identifies its user, whose e-mail is unverified unless a claim says so", async () => {
  const { authenticateToken } = createJwtAuthenticator({ ...expected, secret, clock });
  const key = new TextEncoder().encode(secret);
  expect(await authenticateToken(await sign({}, key))).toEqual({
    id: "alice",
    emailVerified: false,
    roles: [],
  });
  const rich = { email_verified: true, roles: ["operator", 5], aud: ["other", "gateway"] };
  expect(await authenticateToken(await sign(rich, key))).toEqual({
    id: "alice",
    emailVerified: true,
    roles: ["operator"],
  });
  expect(await authenticateToken(await sign({ email_verified: "true" }, key))).toMatchObject({
    emailVerified: false,
  });
});

test("tokens of another issuer, audience, key, time or algorithm are rejected", async () => {
  const { authenticateToken } = createJwtAuthenticator({ ...expected, secret, clock });
  const key = new TextEncoder().encode(secret);
  const wrong = [
    sign({ iss: "https://evil.test" }, key),
    sign({ iss: undefined }, key),
    sign({ aud: "other" }, key),
    sign({ aud: undefined }, key),
    sign({ sub: undefined }, key),
    sign({ sub: "" }, key),
    sign({ sub: ["alice"] }, key),
    sign({ sub: 5 }, key),
    sign({ exp: undefined }, key),
    sign({ exp: now }, key),
    sign({ nbf: now + 60 }, key),
    sign({}, new TextEncoder().encode(`${secret}x`)),
    sign({}, new Uint8Array(64), { alg: "HS512" }),
    "",
    "a.b.c",
  ];
  for (const [i, token] of wrong.entries()) {
    expect([i, await authenticateToken(await token)]).toEqual([i, null]);
  }
});

test("an issuer or audience that is not set is refused, because jose would accept any", () => {
  for (const missing of [{ audience: undefined }, { audience: "" }, { issuer: undefined }]) {
    expect(() => createJwtAuthenticator({ ...expected, secret, ...missing } as never)).toThrow(
      "is missing",
    );
  }
});

test("the embedder maps the claims of valid tokens to users, and may refuse them", async () => {
  const toUser = vi.fn(({ sub, ...others }: TokenClaims) =>
    sub === "mallory"
      ? null
      : { id: sub, emailVerified: others["https://shop.test/verified"] === true, roles: ["fan"] },
  );
  const { authenticateToken } = createJwtAuthenticator({ ...expected, secret, clock, toUser });
  const key = new TextEncoder().encode(secret);
  const verified = { "https://shop.test/verified": true, roles: ["operator"] };
  expect(await authenticateToken(await sign(verified, key))).toEqual({
    id: "alice",
    emailVerified: true,
    roles: ["fan"],
  });
  expect(await authenticateToken(await sign({ sub: "mallory" }, key))).toBeNull();
  expect(toUser).toHaveBeenCalledTimes(2);
  for (const wrong of [{ aud: "other" }, { exp: now }, { sub: "" }, { sub: 5 }]) {
    expect(await authenticateToken(await sign(wrong, key))).toBeNull();
  }
  expect(toUser).toHaveBeenCalledTimes(2);
});

test("the log says why a token is refused, and never contains the token", async () => {
  const debug = vi.fn();
  const options = { ...expected, secret, clock, logger: { ...silentLogger, debug } };
  const toUser = ({ sub }: TokenClaims) =>
    sub === "mallory" ? null : { id: sub, emailVerified: true, roles: [] };
  const { authenticateToken } = createJwtAuthenticator({ ...options, toUser });
  const key = new TextEncoder().encode(secret);
  const cases: readonly [Promise<string> | string, object][] = [
    [
      sign({ aud: "other" }, key),
      { code: "ERR_JWT_CLAIM_VALIDATION_FAILED", claim: "aud", reason: "check_failed" },
    ],
    [
      sign({ aud: undefined }, key),
      { code: "ERR_JWT_CLAIM_VALIDATION_FAILED", claim: "aud", reason: "missing" },
    ],
    [sign({ exp: now }, key), { code: "ERR_JWT_EXPIRED", claim: "exp", reason: "check_failed" }],
    [
      sign({}, new TextEncoder().encode(`${secret}x`)),
      { code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" },
    ],
    ["not-a-token", { code: "ERR_JWS_INVALID" }],
    [sign({ sub: "" }, key), { claim: "sub", reason: "invalid" }],
    [sign({ sub: "mallory" }, key), { reason: "toUser returned null" }],
  ];
  for (const [signed, reason] of cases) {
    const token = await signed;
    expect(await authenticateToken(token)).toBeNull();
    expect(debug).toHaveBeenLastCalledWith(reason, "A customer's token was refused");
    const logged = JSON.stringify(debug.mock.lastCall);
    for (const part of token.split(".").filter(({ length }) => length > 1)) {
      expect(logged).not.toContain(part);
    }
  }
  debug.mockClear();
  expect(await authenticateToken(await sign({}, key))).not.toBeNull();
  expect(debug).not.toHaveBeenCalled();
});

test("each public key is accepted for one algorithm only", async () => {
  const pair = async (alg: "ES256" | "EdDSA" | "RS256") => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk: JWK = await exportJWK(publicKey);
    return { privateKey, key: { kid: alg, alg, jwk: { ...jwk } } };
  };
  const [es, ed, rs] = [await pair("ES256"), await pair("EdDSA"), await pair("RS256")];
  const keys = [es.key, ed.key, rs.key];
  const { authenticateToken } = createJwtAuthenticator({ ...expected, keys, clock });
  for (const { privateKey, key } of [es, ed, rs]) {
    const token = await sign({}, privateKey, { alg: key.alg, kid: key.kid });
    expect((await authenticateToken(token))?.id).toBe("alice");
  }
  const confused = [
    sign({}, es.privateKey, { alg: "ES256", kid: "EdDSA" }),
    sign({}, es.privateKey, { alg: "ES256" }),
    sign({}, new TextEncoder().encode(JSON.stringify(es.key.jwk)), { kid: "ES256" }),
    sign({}, (await pair("ES256")).privateKey, { alg: "ES256", kid: "ES256" }),
  ];
  for (const token of confused) expect(await authenticateToken(await token)).toBeNull();
});

test("a JWKS is fetched, and a token is not rejected while the fetch fails", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }] };
  let down = true;
  server = createServer((_, response) => {
    response.writeHead(down ? 503 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(jwks));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const { authenticateToken } = createJwtAuthenticator({ ...expected, jwksUrl, clock });
  const token = await sign({}, privateKey, { alg: "ES256", kid: "k" });
  await expect(authenticateToken(token)).rejects.toThrow();
  down = false;
  expect((await authenticateToken(token))?.id).toBe("alice");
  const asSecret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]));
  expect(await authenticateToken(await sign({}, asSecret, { kid: "k" }))).toBeNull();
});

test("a short secret and an invalid URL are rejected when the authenticator is created", () => {
  expect(() => createJwtAuthenticator({ ...expected, secret: "short" })).toThrow(TypeError);
  expect(() => createJwtAuthenticator({ ...expected, jwksUrl: "nowhere" })).toThrow(TypeError);
});
