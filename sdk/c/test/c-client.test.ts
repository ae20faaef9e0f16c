import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReleaseSigner } from "@device-gateway/testing";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createCDevice, createRelease, storedSeqs } from "./c-device.js";
import { describeInC, hasArmCompiler, make, makeDevice } from "./tool-chain.js";

describeInC("the C client", () => {
  beforeAll(makeDevice);

  it("§6 passes its unit tests and all vectors, built by gcc and clang with sanitizers", async () => {
    const printed = await make("test");
    expect(printed.match(/[1-9]\d+ checks, 0 failures/g)).toHaveLength(8);
  });

  it.skipIf(!hasArmCompiler)("has less than 64 KB for a Cortex-M4", async () => {
    const total = /^\s*(\d+)\s+(\d+)\s+(\d+).*TOTALS/m.exec(await make("size"));
    const [text, data, bss] = (total ?? []).slice(1).map(Number);
    expect([data, bss]).toEqual([0, 0]);
    expect(text).toBeLessThan(65_536);
  });

  it("§1 §4 registers, sends what it recorded, and logs in after a restart", async () => {
    const device = await createCDevice();
    const first = await device.run(["record=3", "flush", "flush"]);
    expect(first.lines.map(({ event }) => event).filter(Boolean)).toEqual(["registered"]);
    expect(first.results("flush")).toMatchObject([
      { status: "ok", accepted: 3, duplicates: 0, rejected: 0, waiting: 0, configChanged: true },
      { status: "ok", accepted: 0, serverTime: 0 },
    ]);
    const second = await device.run(["record=1", "flush"], { compiler: "clang" });
    expect(second.lines[1]).toMatchObject({ event: "logged_in" });
    expect(await device.cloud.records(device.deviceId)).toMatchObject([
      { seq: 1, voltage: 26.51, bms: { charging: false } },
      { seq: 2, voltage: 26.52, bms: { charging: true } },
      { seq: 3, voltage: 26.53 },
      { seq: 4, voltage: 26.54 },
    ]);
  });

  it("runs the example", async () => {
    const device = await createCDevice();
    await device.cloud.addRelease(createRelease("1.1.0"));
    const first = await device.runExample();
    expect(first).toMatchObject({
      code: 75,
      printed: expect.stringContaining("Restarting for 1.1.0"),
    });
    const second = await device.runExample();
    expect(second).toMatchObject({ code: 0, printed: expect.stringContaining("Sent 1 readings.") });
    expect(second.printed).toContain("Runs 1.1.0.");
  });

  it("§2 signs in again when its token has expired", async () => {
    const device = await createCDevice();
    const commands = ["record=1", "flush", "pause", "record=1", "flush", "config"];
    const { lines, results } = await device.run(commands, { onPause: device.cloud.expireTokens });
    expect(lines.map(({ event }) => event).filter(Boolean)).toEqual(["registered", "logged_in"]);
    expect(results("flush").at(-1)).toMatchObject({ status: "ok", accepted: 1 });
    expect(results("config")).toMatchObject([{ status: "ok", interval: 60 }]);
  });

  it("§2 reports that it is revoked, and keeps its records", async () => {
    const device = await createCDevice();
    await device.run(["connect"]);
    await device.cloud.revoke(device.deviceId);
    const { results } = await device.run(["record=2", "flush"]);
    expect(results("flush")).toMatchObject([
      { status: "refused", code: "device_already_registered", http: 409, waiting: 2 },
    ]);
  });

  it("§4 a full buffer drops its oldest records", async () => {
    const device = await createCDevice();
    await device.cloud.goOffline();
    const bufferRecords = 5;
    const { lines, results } = await device.run(["record=8", "flush"], { bufferRecords });
    const dropped = lines.filter(({ event }) => event === "dropped_full");
    expect(dropped.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(results("flush")).toMatchObject([{ status: "network", waiting: 5 }]);
    await device.cloud.goOnline();
    await device.run(["record=1", "flush"], { bufferRecords });
    expect(await storedSeqs(device)).toEqual([5, 6, 7, 8, 9]);
  });

  it("§4 a request that is too large is halved, and a record that is too large alone is dropped", async () => {
    const device = await createCDevice({ limits: { telemetryBodyBytes: 1_500 } });
    const commands = ["record=4", "padded=1800", "padded=300", "record=2", "flush"];
    const { lines, results } = await device.run(commands);
    expect(results("flush")).toMatchObject([{ status: "ok", accepted: 7, refused: 1, waiting: 0 }]);
    expect(lines).toContainEqual({ event: "dropped_refused", number: 5 });
    expect(await storedSeqs(device)).toEqual([1, 2, 3, 4, 6, 7, 8]);
  });

  it("§4 a record that the server rejects leaves the buffer, and the server's time is returned", async () => {
    const device = await createCDevice();
    const { results } = await device.run(["sleep=600000", "record=1", "flush", "check-in"]);
    expect(results("flush")).toMatchObject([
      { rejected: 1, rejectedCode: "timestamp_out_of_range", waiting: 0 },
    ]);
    const { serverTime } = results("check-in")[0] as { serverTime: number };
    expect(serverTime).toBeLessThanOrEqual(device.cloud.clock.now());
    expect(serverTime).toBeGreaterThan(device.cloud.clock.now() - 60_000);
  });

  it.each([200, 302])("§0 a captive portal that sends %i is no answer", async (status) => {
    const device = await createCDevice();
    const portal = createServer((_, response) => {
      response.writeHead(status, { location: `${device.url}/api/v1/openapi.json` });
      response.end("<html>Log in to the Wi-Fi</html>");
    });
    onTestFinished(() => void portal.close());
    await new Promise<void>((listening) => portal.listen(0, "127.0.0.1", () => listening()));
    const url = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`;
    const { results } = await device.run(["record=2", "flush"], { url });
    expect(results("flush")).toMatchObject([
      { status: "unexpected_answer", http: status, waiting: 2 },
    ]);
    await device.run(["flush"]);
    expect(await storedSeqs(device)).toEqual([1, 2]);
  });

  it("§0 refuses a certificate that it cannot trust, and keeps its records", async () => {
    const device = await createCDevice();
    const { cloud } = device;
    const url = await cloud.listen({ tls: true });
    const options = { url, caPem: cloud.tlsAuthority };
    for (const kind of ["self_signed", "expired", "wrong_name"] as const) {
      cloud.presentCertificate(kind);
      const { results } = await device.run(["record=1", "flush"], options);
      expect(results("flush")).toMatchObject([{ status: "network" }]);
    }
    expect(cloud.requests).toEqual([]);
    cloud.presentCertificate("valid");
    const { results } = await device.run(["flush"], options);
    expect(results("flush")).toMatchObject([{ status: "ok", accepted: 3, waiting: 0 }]);
  });

  it("§5 §8 reads its configuration, and answers an update now", async () => {
    const settings = z.object({ display: z.object({ greeting: z.string() }) });
    const defaults = { display: { greeting: "Grüezi" } };
    const device = await createCDevice({ config: { settings, defaults } });
    const { cloud, deviceId } = device;
    await device.run(["connect"]);
    const authorization = `Bearer ${cloud.signIn("alice")}`;
    const call = (method: string, path: string, body?: unknown) =>
      cloud.fetch(`${cloud.baseUrl}/api/v1${path}`, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    await call("POST", "/user/devices/claim", { deviceId, claimCode: "ABCD-EFGH" });
    const own = `/dashboard/devices/${deviceId}`;
    await call("PUT", `${own}/config`, { telemetryIntervalSeconds: 120 });
    await call("POST", `${own}/ota/check`);
    const { results } = await device.run(["config", "config", "answer"]);
    expect(results("config")).toMatchObject([
      {
        interval: 120,
        otaEnabled: true,
        greeting: "Grüezi",
        requestId: expect.stringMatching(/./),
      },
      { status: "ok", interval: 120, greeting: "Grüezi" },
    ]);
    expect(results("answer")).toMatchObject([{ status: "ok" }]);
    const { command } = await (await call("GET", `${own}/ota/command`)).json();
    expect(command).toMatchObject({ status: "no-update-available" });
  });

  it.each([
    { of: "32 levels", text: `${"[".repeat(31)}1${"]".repeat(31)}` },
    { of: "16,000 bytes", text: `"${"x".repeat(16_000)}"` },
  ])("logs in and reads its configuration if it has $of", async ({ text }) => {
    const settings = z.object({ anything: z.unknown() });
    const config = { settings, defaults: { anything: JSON.parse(text) } };
    const device = await createCDevice({ config });
    for (const event of ["registered", "logged_in"]) {
      const { lines, results } = await device.run(["config"]);
      expect(lines).toContainEqual({ event, number: 0 });
      expect(results("config")).toMatchObject([{ status: "ok", interval: 60 }]);
    }
  });

  it("§6 an update runs over a broken connection to its confirmation", async () => {
    const device = await createCDevice();
    const { cloud } = device;
    await cloud.addRelease(createRelease("1.1.0"));
    cloud.fail("downloadFirmware", { kind: "cut", afterBytes: 100_000 });
    const { results } = await device.run(["update"]);
    expect(results("update")).toMatchObject([
      { status: "ok", outcome: "up_to_date", running: "1.1.0" },
    ]);
    const downloads = cloud.requestsTo("downloadFirmware");
    expect(downloads.map(({ status }) => status)).toEqual([200, 206]);
    expect(downloads[1]?.header("range")).toMatch(/^bytes=\d{5,6}-$/);
    const reported = cloud.requestsTo("reportUpdate").map(({ body }) => body as { state: string });
    expect([...new Set(reported.map(({ state }) => state))]).toEqual([
      ...["downloading", "downloaded", "verified", "installing", "rebooting", "succeeded"],
    ]);
  });

  it("§6 an image that fails its self-test is rolled back and never tried again", async () => {
    const device = await createCDevice();
    const { cloud } = device;
    await cloud.addRelease(createRelease("1.1.0", "fails_self_test"));
    const { results } = await device.run(["update", "sleep=86400000", "update"]);
    const refused = { outcome: expect.stringMatching(/held|up_to_date/), running: "1.0.0" };
    expect(results("update")).toMatchObject([refused, refused]);
    expect(cloud.requestsTo("downloadFirmware")).toHaveLength(1);
    const reports = cloud.requestsTo("reportUpdate").map(({ body }) => body);
    expect(reports.at(-1)).toMatchObject({
      ...{ state: "rolled_back", code: "self_test_failed", message: "The sensor does not answer." },
    });
  });

  it("§6 an offer that another key signed is refused", async () => {
    const device = await createCDevice();
    await device.cloud.addRelease(createRelease("1.1.0"));
    const { publicKey: pem } = (await createReleaseSigner()).key;
    const { results } = await device.run(["update"], { pem });
    expect(results("update")).toMatchObject([{ outcome: "refused", reason: "invalid_signature" }]);
    expect(device.cloud.requestsTo("downloadFirmware")).toEqual([]);
  });
});
