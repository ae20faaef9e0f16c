import { silentLogger } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, it, onTestFinished, vi } from "vitest";
import { demoDevice } from "../demo/demo-context.js";
import { prepareDemoKey } from "../demo/firmware/demo-key.js";
import { publishDemoFirmware } from "../demo/firmware/publish-demo-firmware.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { customerSettings, signCustomer } from "../testing/customer.js";
import { makeTempFolder } from "../testing/start-test-server.js";
import { publicUrlOf, publicUrlWarning } from "./public-url.js";

useCheapScrypt();

const allAddresses = { HOST: "0.0.0.0" };
const named = { PUBLIC_URL: "https://gateway.example.com" };

/** Starts a server with a release and a registered device. Returns the device's offer and the operator's explanation. */
async function explainOn(overrides: Partial<Settings>) {
  const DATA_DIR = await makeTempFolder();
  const settings = Settings.parse({ PORT: 0, ...overrides, ...customerSettings, DATA_DIR });
  const key = await prepareDemoKey(settings);
  const warn = vi.fn();
  const server = await startServer(settings, { logger: { ...silentLogger, warn } });
  onTestFinished(() => server.stop());
  if (key !== null) expect(await publishDemoFirmware(server.gateway, key)).toBeNull();
  const device = createDeviceClient({ baseUrl: server.url });
  (await device.register({ ...demoDevice, claimCode: "ABCD-EFGH" }))._unsafeUnwrap();
  const latest = await fetch(`${server.url}/api/v1/ota/latest`, {
    headers: { authorization: `Bearer ${device.token}` },
  });
  const releases = `${server.url}/api/v1/operator/firmware/releases`;
  const operator = await signCustomer("op-1", { roles: ["operator"] });
  const explained = await fetch(`${releases}/1/explain/${demoDevice.deviceId}`, {
    headers: { authorization: `Bearer ${operator}` },
  });
  const { reasons } = (await explained.json()) as { reasons: { code: string }[] };
  const { downloadUrl } = (await latest.json()) as { downloadUrl?: string };
  return { url: server.url, warn, downloadUrl, reasons: reasons.map(({ code }) => code) };
}

it("§6 a server on all addresses without PUBLIC_URL offers no firmware, and the log and the explanation say why", async () => {
  const { downloadUrl, reasons, warn } = await explainOn(allAddresses);
  expect(downloadUrl).toBeUndefined();
  expect(reasons).toEqual(["public_url_missing"]);
  expect(warn).toHaveBeenCalledExactlyOnceWith({}, expect.stringContaining("PUBLIC_URL=https://"));
});

it("§6 download URLs use PUBLIC_URL, or the server's own URL if it listens on loopback", async () => {
  const behindProxy = await explainOn({ ...allAddresses, ...named });
  expect(behindProxy.downloadUrl).toMatch(/^https:\/\/gateway\.example\.com\/api\/v1\//);
  expect(behindProxy.warn).not.toHaveBeenCalled();
  const local = await explainOn({});
  expect(local.downloadUrl?.startsWith(`${local.url}/api/v1/`)).toBe(true);
  expect(local.warn).not.toHaveBeenCalled();
});

it.each([
  ["0.0.0.0", undefined],
  ["::", undefined],
  ["192.168.1.10", "http://it"],
  ["127.0.0.1", "http://it"],
])("a server on %s gives devices the URL %s", (HOST, url) => {
  expect(publicUrlOf({ HOST, PUBLIC_URL: undefined }, "http://it")).toBe(url);
  expect(publicUrlOf({ HOST, ...named }, "http://it")).toBe(named.PUBLIC_URL);
});

it("a server on a network address warns, because devices may need another URL", () => {
  const warning = publicUrlWarning({ HOST: "192.168.1.10", PUBLIC_URL: undefined }, "http://it");
  expect(warning).toContain("devices and mails get http://it");
});
