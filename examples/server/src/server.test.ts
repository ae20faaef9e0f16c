import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { loadOrCreateSecrets } from "@device-gateway/core/node";
import { createDeviceClient } from "@device-gateway/device-client";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "./server.js";
import { Settings } from "./settings/settings.js";
import { StartError } from "./start-error.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "./testing/customer.js";
import { makeTempFolder, startTestServer } from "./testing/start-test-server.js";

useCheapScrypt();

const registration = {
  deviceId: "gw-1",
  hardwareId: "board",
  firmwareVersion: "1.0.0",
  claimCode: "ABCD-EFGH",
};

describe("startServer", () => {
  it.each(["/healthz", "/readyz", "/api/v1/openapi.json", "/v1/openapi.json", "/"])(
    "answers GET %s",
    async (path) => {
      const { url } = await startTestServer();
      expect((await fetch(url + path)).status).toBe(200);
    },
  );

  it("names its URL in its OpenAPI document", async () => {
    const { url } = await startTestServer();
    const document = async (of: string) => (await fetch(`${of}/api/v1/openapi.json`)).json();
    expect(await document(url)).toMatchObject({ servers: [{ url }] });

    const proxied = await startTestServer({ PUBLIC_URL: "https://gateway.example.com" });
    expect(await document(proxied.url)).toMatchObject({
      servers: [{ url: "https://gateway.example.com" }],
    });
  });

  it("answers 404 for an unknown path, and does not reveal its framework", async () => {
    const { url } = await startTestServer();
    const response = await fetch(`${url}/favicon.ico`);
    expect(response.status).toBe(404);
    expect(response.headers.get("x-powered-by")).toBeNull();
  });

  it("says without accounts that its page needs them", async () => {
    const { url } = await startTestServer({ ACCOUNTS: false });
    const text = await (await fetch(url)).text();
    expect(text).toContain("The page needs accounts.");
    expect(text).not.toContain("not built");
  });

  it("creates its data folder and secrets, readable by this user only", async () => {
    const folder = join(await makeTempFolder(), "new", "data");
    await startTestServer({ DATA_DIR: folder });
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(["gateway.db", "secrets.json"]));
    // There is no other file, such as a log.
    const known = /^((gateway|accounts)\.db(-wal|-shm)?|secrets\.json|firmware(-keys)?)$/;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
    expect((await stat(join(folder, "secrets.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("passes its settings to the gateway", async () => {
    const { url } = await startTestServer({ DG_LIMIT_AUTH_PER_MINUTE: 1 });
    const register = () =>
      fetch(`${url}/v1/device/register`, { method: "POST", body: "{}", headers: {} });
    await register();
    expect((await register()).status).toBe(429);
  });

  it("shows the summary metrics of its settings in the device list", async () => {
    const DATA_DIR = await makeTempFolder();
    const SUMMARY_METRICS = "soc,bms.voltage";
    const settings = Settings.parse({ PORT: 0, DATA_DIR, SUMMARY_METRICS, ...customerSettings });
    const { url, stop } = await startServer(settings, { logger: silentLogger });
    onTestFinished(stop);
    const device = createDeviceClient({ baseUrl: url });
    (await device.register(registration))._unsafeUnwrap();
    const customer = createCustomer(url, await signCustomer("c-1"));
    await customer.claim(registration.deviceId, registration.claimCode);
    const record = { soc: 81, bms: { voltage: 12.7 }, rssi: -60 };
    (await device.sendTelemetry(record))._unsafeUnwrap();
    const { body } = await customer.listDevices();
    expect(body).toMatchObject({ devices: [{ soc: 81, "bms.voltage": 12.7 }] });
    expect(JSON.stringify(body)).not.toContain("rssi");
  });

  it("deletes expired registrations when it starts (§1)", async () => {
    onTestFinished(() => {
      vi.useRealTimers();
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 8 * 86_400_000 });
    const earlier = await startTestServer();
    const device = createDeviceClient({ baseUrl: earlier.url });
    (await device.register(registration))._unsafeUnwrap();
    await earlier.stop();

    vi.useRealTimers();
    const info = vi.fn();
    const { stop } = await startServer(earlier.settings, { logger: { ...silentLogger, info } });
    await expect
      .poll(() => info.mock.calls)
      .toContainEqual([expect.objectContaining({ droppedRegistrations: 1 }), expect.any(String)]);
    await stop();
  });

  it("trusts as many proxies as TRUSTED_PROXIES says", async () => {
    const { url } = await startTestServer({ DG_LIMIT_AUTH_PER_MINUTE: 1, TRUSTED_PROXIES: 1 });
    const registerFrom = (address: string) =>
      fetch(`${url}/v1/device/register`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json", "x-forwarded-for": address },
      });
    expect((await registerFrom("203.0.113.1")).status).toBe(400);
    expect((await registerFrom("203.0.113.2")).status).toBe(400);
    expect((await registerFrom("203.0.113.2")).status).toBe(429);
  });

  it("does not touch the data folder if it cannot listen", async () => {
    const first = await startTestServer();
    const folder = join(await makeTempFolder(), "data");
    const settings = Settings.parse({ PORT: Number(new URL(first.url).port), DATA_DIR: folder });
    await expect(startServer(settings, { logger: silentLogger })).rejects.toThrow("is in use");
    await expect(stat(folder)).rejects.toThrow("ENOENT");
  });

  it("reports what is wrong with the data folder, and releases the port", async () => {
    const folder = await makeTempFolder();
    await writeFile(join(folder, "file"), "");
    const start = startTestServer({ DATA_DIR: join(folder, "file", "data") });
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toThrow(/cannot be used: ENOTDIR.*DATA_DIR=/);
  });

  it("refuses damaged secrets instead of replacing them", async () => {
    const folder = await makeTempFolder();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "secrets.json"), "{}");
    await chmod(join(folder, "secrets.json"), 0o600);
    await expect(startTestServer({ DATA_DIR: folder })).rejects.toThrow("Restore the file");
  });

  it("reports a damaged accounts.db with what to do, and releases the port", async () => {
    const DATA_DIR = await makeTempFolder();
    await writeFile(join(DATA_DIR, "accounts.db"), "no database ".repeat(500));
    const start = startTestServer({ DATA_DIR });
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toThrow(
      `accounts.db in ${DATA_DIR} cannot be used: file is not a database. Fix that, or start without accounts`,
    );
  });

  it("creates no new secrets for a database that has devices, and starts with the old ones", async () => {
    const first = await startTestServer();
    const { DATA_DIR } = first.settings;
    const device = createDeviceClient({ baseUrl: first.url });
    const { deviceSecret } = (await device.register(registration))._unsafeUnwrap();
    await first.stop();
    const file = join(DATA_DIR, "secrets.json");
    const secrets = await readFile(file);
    await rm(file);

    const start = startTestServer({ DATA_DIR });
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toThrow(
      `Put the old secrets.json back into ${DATA_DIR} with mode 0600. To start over`,
    );
    await expect(stat(file)).rejects.toThrow("ENOENT");

    await writeFile(file, secrets, { mode: 0o600 });
    const { url } = await startTestServer({ DATA_DIR });
    const credentials = { deviceId: registration.deviceId, deviceSecret };
    (await createDeviceClient({ baseUrl: url }).login(credentials))._unsafeUnwrap();
  });

  it("creates secrets if an earlier start ended before it did so", async () => {
    const DATA_DIR = await makeTempFolder();
    await (await openSqliteStore({ file: join(DATA_DIR, "gateway.db") })).close();
    const { url } = await startTestServer({ DATA_DIR });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it.each(["pepper", "token key"])(
    "refuses an issuer's secret that equals its own %s, and releases the port",
    async (which) => {
      const folder = await makeTempFolder();
      const { pepper, tokenKeys } = await loadOrCreateSecrets(join(folder, "secrets.json"));
      const reused = which === "pepper" ? pepper : String(tokenKeys[0]?.jwk["k"]);
      const start = startTestServer({
        ...customerSettings,
        DATA_DIR: folder,
        CUSTOMER_JWT_SECRET: reused,
      });
      await expect(start).rejects.toThrow(StartError);
      await expect(start).rejects.toThrow(/one of the secrets in DATA_DIR.*openssl rand/);
      await expect(start).rejects.not.toThrow(reused);
    },
  );

  it("answers pending requests before it stops, and none afterwards", async () => {
    const server = await startTestServer();
    const body = JSON.stringify(registration);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    onTestFinished(() => {
      socket.destroy();
    });
    let received = "";
    socket.on("data", (text: string) => {
      received += text;
    });
    // "100 Continue" shows that the request has arrived and waits for its body.
    socket.write(
      `POST /api/v1/device/register HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, "data");
    const stopped = server.stop();
    // The server accepts connections until an idle turn of the event loop.
    const answers = () =>
      fetch(`${server.url}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers).toBe(false);

    const closed = once(socket, "close");
    socket.write(body);
    await Promise.all([stopped, closed]);
    expect(received).toContain("HTTP/1.1 100 Continue");
    expect(received).toContain("HTTP/1.1 201 Created");
    expect(received).toContain('"deviceId":"gw-1"');
  });
});
