import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { createJwtAuthenticator } from "./jwt-authenticator.js";

test("a key set is fetched only from the configured URL, and redirects are not followed", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }],
  });
  const requested: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url);
    if (request.url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(keys);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = await new SignJWT({ email_verified: true })
    .setProtectedHeader({ alg: "ES256", kid: "k" })
    .setSubject("ann")
    .setIssuer("issuer")
    .setAudience("gateway")
    .setExpirationTime("1 hour")
    .sign(privateKey);
  const authenticatorOf = (path: string) =>
    createJwtAuthenticator({ jwksUrl: origin + path, issuer: "issuer", audience: "gateway" });
  await expect(authenticatorOf("/moved").authenticateToken(token)).rejects.toThrow();
  expect(requested).toEqual(["/moved"]);
  expect(await authenticatorOf("/keys").authenticateToken(token)).toMatchObject({ id: "ann" });
});
