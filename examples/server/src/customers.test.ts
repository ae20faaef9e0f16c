import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createCustomers } from "./customers.js";
import { listen } from "./http/listen.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "./testing/customer.js";
import { startTestServer } from "./testing/start-test-server.js";

useCheapScrypt();

const demo = { DEMO: true } as const;

describe("customers' tokens", () => {
  it("are accepted from the configured issuer, with sub, email_verified and roles", async () => {
    const { url } = await startTestServer(customerSettings);
    const as = async (...args: Parameters<typeof signCustomer>) =>
      createCustomer(url, await signCustomer(...args));
    const { listDevices, claim, listAllDevices } = await as("c-1");
    expect(await listDevices()).toMatchObject({ status: 200, body: { devices: [] } });
    expect((await listAllDevices()).status).toBe(403);
    expect((await claim("gw-1", "ABCD-EFGH")).body?.["code"]).toBe("invalid_claim");

    const unverified = await as("c-2", { email_verified: false });
    expect((await unverified.claim("gw-1", "ABCD-EFGH")).body?.["code"]).toBe("email_not_verified");
    const operator = await as("o-1", { roles: ["operator"] });
    expect((await operator.listAllDevices()).status).toBe(200);

    const other = customerSettings.CUSTOMER_JWT_SECRET.replace("k", "K");
    for (const stranger of [
      await as("c-1", { iss: "https://evil.example.com" }),
      await as("c-1", { aud: "another-service" }),
      await as("c-1", {}, other),
    ]) {
      expect((await stranger.listDevices()).status).toBe(401);
    }
  });

  it("are checked with the issuer's published keys", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const keys = [{ ...(await exportJWK(publicKey)), kid: "k-1", alg: "ES256" }];
    const issuer = createServer((_request, response) => response.end(JSON.stringify({ keys })));
    onTestFinished(() => {
      issuer.close();
    });
    const { CUSTOMER_JWT_SECRET: _, ...names } = customerSettings;
    const CUSTOMER_JWKS_URL = await listen(issuer, { HOST: "127.0.0.1", PORT: 0 });
    const { url } = await startTestServer({ ...names, CUSTOMER_JWKS_URL });
    const token = await new SignJWT({ sub: "c-1" })
      .setProtectedHeader({ alg: "ES256", kid: "k-1" })
      .setIssuer(names.CUSTOMER_JWT_ISSUER)
      .setAudience(names.CUSTOMER_JWT_AUDIENCE)
      .setExpirationTime("1 hour")
      .sign(privateKey);
    expect((await createCustomer(url, token).listDevices()).status).toBe(200);
    expect((await createCustomer(url, await signCustomer("c-1")).listDevices()).status).toBe(401);
  });

  it("need no verified address with REQUIRE_VERIFIED_EMAIL=0", async () => {
    const { url } = await startTestServer({ ...customerSettings, REQUIRE_VERIFIED_EMAIL: false });
    const token = await signCustomer("c-1", { email_verified: false });
    const { body } = await createCustomer(url, token).claim("gw-1", "ABCD-EFGH");
    expect(body?.["code"]).toBe("invalid_claim");
  });

  it("are all rejected without accounts and without an issuer, and the log says so", async () => {
    const { url, settings } = await startTestServer({ ACCOUNTS: false });
    expect((await createCustomer(url, await signCustomer("c-1")).listDevices()).status).toBe(401);
    const info = vi.fn();
    expect(createCustomers(settings, undefined, { ...silentLogger, info })).toEqual({});
    expect(info).toHaveBeenCalledExactlyOnceWith({}, expect.stringContaining("Nobody can claim"));
  });

  it("are accepted from the accounts and from the issuer if both are configured", async () => {
    const { url, settings } = await startTestServer({ ...demo, ...customerSettings });
    const token = await readFile(join(settings.DATA_DIR, "demo-customer.token"), "utf8");
    for (const bearer of [token.trim(), await signCustomer("c-1")]) {
      expect((await createCustomer(url, bearer).listDevices()).status).toBe(200);
      const claim = await createCustomer(url, bearer).claim("gw-1", "ABCD-EFGH");
      expect(claim.body?.["code"]).toBe("invalid_claim");
    }
    expect((await createCustomer(url, "eyJ.no.body").listDevices()).status).toBe(401);
  });
});
