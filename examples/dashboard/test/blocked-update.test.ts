import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openAccount } from "./open-account.js";
import { openBrowser } from "./open-browser.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const timeout = 120_000;
const operators = "olga@example.com" as unknown as string[];

describeInBrowser("a release that failed on a device, in the browser", () => {
  let site: Site;
  let browser: Browser;
  let page: Page;
  let token: string;

  const callAsDevice = (method: string, path: string, body?: object) =>
    fetch(`${site.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  /** Returns the version that the device is offered, or undefined. */
  const offered = async () => {
    const response = await callAsDevice("GET", "/ota/latest");
    expect(response.status).toBe(200);
    return ((await response.json()) as { version?: string }).version;
  };
  /** Lets the release fail on the device, so often that it is blocked there. */
  const failThrice = async () => {
    for (let n = 0; n < 3; n++) {
      expect(await offered()).toBe("1.1.0");
      const body = { state: "failed", version: "1.1.0", message: `attempt ${n}, ${Date.now()}` };
      expect((await callAsDevice("POST", "/ota/events", body)).status).toBe(202);
    }
    expect(await offered()).toBeUndefined();
  };
  /** Opens the release and asks whether the device is offered it. */
  const explain = async () => {
    await page.goto("/releases/1");
    await page.getByLabel("Device ID").fill("gw-1");
    await page.getByRole("button", { name: "Check" }).click();
  };
  const openSettings = async () => {
    await page.goto("/devices/gw-1/settings");
    await page.getByRole("heading", { name: "Update target" }).waitFor();
  };

  beforeAll(async () => {
    const pageFolder = await buildPage();
    const environment = { DEMO: false, OPERATOR_EMAILS: operators };
    [site, browser] = await Promise.all([startSite({ pageFolder, environment }), openBrowser()]);
    const device = createDeviceClient({ baseUrl: site.url });
    const registered = await device.register({
      ...{ deviceId: "gw-1", hardwareId: "demo:thermometer", claimCode: "ABCD-EFGH-JKLM-NPQR" },
      ...{ targetHardware: "demo-thermometer", firmwareVersion: "1.0.0" },
    });
    ({ token } = registered._unsafeUnwrap());
    const olga = createBrowser(site.url);
    page = await openAccount(site, browser, olga, { email: "olga@example.com", timeout });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  test("§8 an operator clears the block of a device, which is offered the release again", async () => {
    await failThrice();
    await explain();
    await page.getByText("This device is not offered this release").waitFor();
    await expectAccessible(page);
    await openSettings();
    await page.getByRole("button", { name: "Clear blocks after failed updates" }).click();
    await page.getByText("No release is blocked on this device.").waitFor();
    await expectAccessible(page);
    expect(await offered()).toBe("1.1.0");
    await explain();
    await page.getByText("This device is offered this release.").waitFor();
  });

  test("§8 an operator puts a device on the test bench, where no failure blocks a release", async () => {
    await openSettings();
    await page.getByLabel(/^On a test bench/).check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Follows the channel stable.").waitFor();
    for (let n = 0; n < 5; n++) {
      const body = { state: "failed", version: "1.1.0", message: `on the bench ${n}` };
      expect((await callAsDevice("POST", "/ota/events", body)).status).toBe(202);
      expect(await offered()).toBe("1.1.0");
    }
    await page.reload();
    await page.getByRole("heading", { name: "Update target" }).waitFor();
    expect(await page.getByLabel(/^On a test bench/).isChecked()).toBe(true);
  });
});
