import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateSecrets, toFetchHandler } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { createMemoryStore } from "@device-gateway/store-memory";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { createGatewayFor } from "./gateway.js";

/** The paths of an issuer's `iss` and of its keys. */
interface Paths {
  readonly iss: string;
  readonly keys: string;
}

const products: readonly [string, Paths][] = [
  ["Auth0", { iss: "/", keys: "/.well-known/jwks.json" }],
  ["Keycloak", { iss: "/realms/main", keys: "/realms/main/protocol/openid-connect/certs" }],
  ["Entra", { iss: "/tenant/v2.0", keys: "/tenant/discovery/v2.0/keys" }],
];

/** Starts an issuer that publishes its keys on a port. */
async function startIssuer(paths: Paths) {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }];
  const server = createServer((request, response) => {
    const found = request.url === paths.keys;
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(found ? JSON.stringify({ keys }) : "{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = origin + paths.iss;
  const sign = (sub: string, claims = {}, key = privateKey) =>
    new SignJWT({ sub, email_verified: true, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer(issuer)
      .setAudience("device-gateway")
      .setExpirationTime("1 hour")
      .sign(key);
  return { issuer, jwksUrl: origin + paths.keys, sign };
}

test.each(products)("only verified customers of %s claim a device", async (_, paths) => {
  const { sign, ...issuer } = await startIssuer(paths);
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
  expect(await claim(await sign("alice", {}, stranger))).toBe("unauthorized");
  expect(await claim(await sign("alice", { email_verified: false }))).toBe("email_not_verified");
  expect(await claim(await sign("alice"))).toBe("claimed");
  expect(await claim(await sign("eve"))).toBe("already_claimed");
});
