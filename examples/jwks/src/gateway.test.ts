import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateSecrets, toFetchHandler } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { createMemoryStore } from "@device-gateway/store-memory";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { createGatewayFor, type Issuer } from "./gateway.js";

/** How a product issues tokens, and how the gateway reads them. */
interface Product extends Pick<Issuer, "toUser"> {
  /** The path of its `iss`. */
  readonly iss: string;
  /** The path of its keys. */
  readonly keys: string;
  /** The claims that say whether an e-mail address is verified. Default: `email_verified`. */
  readonly toClaims?: (isVerified: boolean) => JWTPayload;
}

/** The name that an Action of Auth0 gives to its claim. */
const actionClaim = "https://shop.example/email_verified";

const products: readonly [string, Product][] = [
  [
    "Auth0",
    {
      iss: "/",
      keys: "/.well-known/jwks.json",
      toClaims: (isVerified) => ({ [actionClaim]: isVerified }),
      toUser: ({ sub, ...others }) => ({
        id: sub,
        emailVerified: others[actionClaim] === true,
        roles: [],
      }),
    },
  ],
  ["Cognito", { iss: "/eu-west-1_abc", keys: "/eu-west-1_abc/.well-known/jwks.json" }],
  [
    "Entra",
    {
      iss: "/tenant/v2.0",
      keys: "/tenant/discovery/v2.0/keys",
      // An optional claim: 0 for a member of the tenant, 1 for a guest.
      toClaims: (isVerified) => ({ acct: isVerified ? 0 : 1 }),
      toUser: ({ sub, acct }) => ({ id: sub, emailVerified: acct === 0, roles: [] }),
    },
  ],
  ["Keycloak", { iss: "/realms/main", keys: "/realms/main/protocol/openid-connect/certs" }],
];

/** Starts an issuer that publishes its keys on a port. */
async function startIssuer(product: Product) {
  const { toClaims = (isVerified: boolean) => ({ email_verified: isVerified }), toUser } = product;
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }];
  const server = createServer((request, response) => {
    const found = request.url === product.keys;
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(found ? JSON.stringify({ keys }) : "{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = origin + product.iss;
  const sign = (sub: string, isVerified = true, key = privateKey) =>
    new SignJWT({ sub, ...toClaims(isVerified) })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer(issuer)
      .setAudience("device-gateway")
      .setExpirationTime("1 hour")
      .sign(key);
  return { issuer, jwksUrl: origin + product.keys, ...(toUser && { toUser }), sign };
}

test.each(products)("only verified customers of %s claim a device", async (_, product) => {
  const { sign, ...issuer } = await startIssuer(product);
  const options = {
    store: createMemoryStore(),
    secrets: generateSecrets(),
    slowHash: createLibuvSlowHash(),
  };
  const handler = toFetchHandler(await createGatewayFor(issuer, options), {
    clientAddress: () => null,
  });
  const connection = {
    baseUrl: "http://gateway.test",
    fetch: (url: string, init: RequestInit) => handler(new Request(url, init)),
  };
  const body = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
  const device = createDeviceClient(connection);
  expect(
    (await device.register({ ...body, hardwareId: "esp32", firmwareVersion: "1.0.0" })).isOk(),
  ).toBe(true);

  const claim = async (token: string) => {
    const claimed = await createUserClient({ ...connection, token }).claimDevice({ body });
    return claimed.match(
      ({ status }) => status,
      ({ code }) => code,
    );
  };
  const stranger = (await generateKeyPair("ES256")).privateKey;
  expect(await claim(await sign("alice", true, stranger))).toBe("unauthorized");
  expect(await claim(await sign("alice", false))).toBe("email_not_verified");
  expect(await claim(await sign("alice"))).toBe("claimed");
  expect(await claim(await sign("eve"))).toBe("already_claimed");
});
