import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createCustomers } from "./customers.js";
import { listen } from "./listen.js";
import { createCustomer, customerSettings, signCustomer } from "./testing/customer.js";
import { makeTempFolder, startTestServer } from "./testing/start-test-server.js";

const demo = { DEMO: true } as const;

describe("whose tokens customers' are", () => {
  it("are the issuer's of the settings: sub, email_verified and roles count", async () => {
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

  it("are those of the issuer's published keys", async () => {
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

  it("need no verified address when the settings say so", async () => {
    const { url } = await startTestServer({ ...customerSettings, REQUIRE_VERIFIED_EMAIL: false });
    const token = await signCustomer("c-1", { email_verified: false });
    const { body } = await createCustomer(url, token).claim("gw-1", "ABCD-EFGH");
    expect(body?.["code"]).toBe("invalid_claim");
  });

  it("are nobody's without an issuer, and the log says so", async () => {
    const { url, settings } = await startTestServer();
    expect((await createCustomer(url, await signCustomer("c-1")).listDevices()).status).toBe(401);
    const info = vi.fn();
    expect(await createCustomers(settings, { ...silentLogger, info })).toBeUndefined();
    expect(info).toHaveBeenCalledExactlyOnceWith({}, expect.stringContaining("Nobody can claim"));
  });

  it("are the demo's own under DEMO, for this user alone, also after a restart", async () => {
    const first = await startTestServer(demo);
    const { DATA_DIR } = first.settings;
    const readToken = async () =>
      (await readFile(join(DATA_DIR, "demo-customer.token"), "utf8")).trim();
    const earlier = await readToken();
    await first.stop();
    const { url } = await startTestServer({ ...demo, DATA_DIR });
    for (const token of [earlier, await readToken()]) {
      expect((await createCustomer(url, token).listDevices()).status).toBe(200);
    }
    for (const file of ["demo-customer.token", "demo-customer.json"]) {
      expect((await stat(join(DATA_DIR, file))).mode & 0o777).toBe(0o600);
    }
  });

  it("are not the demo's where there is a real issuer, or no demo", async () => {
    const folder = await makeTempFolder();
    await startTestServer({ ...demo, ...customerSettings, DATA_DIR: folder });
    await expect(stat(join(folder, "demo-customer.token"))).rejects.toThrow("ENOENT");

    const { settings, stop } = await startTestServer(demo);
    const { DATA_DIR } = settings;
    await stop();
    const token = (await readFile(join(DATA_DIR, "demo-customer.token"), "utf8")).trim();
    for (const overrides of [{ DATA_DIR }, { ...customerSettings, DATA_DIR, ...demo }]) {
      const server = await startTestServer(overrides);
      expect((await createCustomer(server.url, token).listDevices()).status).toBe(401);
      await server.stop();
    }
  });

  it("get a new secret when the demo's is damaged", async () => {
    const folder = await makeTempFolder();
    await writeFile(join(folder, "demo-customer.json"), '{"secret":""}');
    const { url } = await startTestServer({ ...demo, DATA_DIR: folder });
    const token = (await readFile(join(folder, "demo-customer.token"), "utf8")).trim();
    expect((await createCustomer(url, token).listDevices()).status).toBe(200);
  });
});
