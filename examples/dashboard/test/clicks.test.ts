import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoDevice } from "../../server/src/demo/demo-context.js";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { isMissing } from "../../server/src/testing/missing-program.js";
import { buildPage } from "./build-page.js";
import { checkView } from "./check-view.js";
import { takeClicks, watchClicks } from "./count-clicks.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { runCommand } from "./run-command.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const timeout = 120_000;
const claimCode = "ABCD-EFGH-JKLM-NPQR";
const deviceCount = 12;
const lacksShell = isMissing("bash", "--version") || isMissing("curl", "--version");

/** The README of the dashboard has these numbers, and those of the former page. */
describeInBrowser("how many clicks a walk takes", () => {
  let site: Site;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    const pageFolder = await buildPage();
    [site, browser] = await Promise.all([
      startSite({ pageFolder, manualWait: true }),
      openBrowser(),
    ]);
    folder = await mkdtemp(join(tmpdir(), "device-gateway-clicks-"));
  }, timeout);
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const register = async (deviceId: string) => {
    const device = createDeviceClient({ baseUrl: site.url });
    const { targetHardware } = demoDevice;
    const firmware = { hardwareId: "board-1", targetHardware, firmwareVersion: "1.0.0" };
    const registration = { deviceId, claimCode, ...firmware };
    return (await device.register(registration))._unsafeUnwrap().token;
  };
  const openCustomer = async (email: string) => {
    const account = createBrowser(site.url);
    const page = await openAccount(site, browser, account, { email, timeout });
    await watchClicks(page);
    await page.goto("/");
    await page.getByRole("heading", { name: "No gateways yet" }).waitFor();
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const heading = (page: Page, name: string) =>
    page.getByRole("heading", { name, exact: true, level: 1 });

  test("a customer claims a new gateway with two clicks, or with one and the link of its label", {
    timeout,
  }, async () => {
    await register("new-1");
    const page = await openCustomer("ann@example.com");
    await checkView(page);
    // The field has the focus already.
    await page.getByLabel("Device ID").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("new-1");
    await page.getByLabel("Claim code").click();
    await page.keyboard.type(claimCode);
    await button(page, "Claim this gateway").click();
    await heading(page, "new-1").waitFor();
    expect(await takeClicks(page)).toBe(2);

    await register("new-2");
    await page.goto("/claim");
    const link = `${site.url}/claim?device=new-2&code=${claimCode}`;
    await page.getByLabel("Device ID").and(page.locator(":focus")).waitFor();
    await page.keyboard.insertText(link);
    await button(page, "Claim this gateway").click();
    await heading(page, "new-2").waitFor();
    expect(await takeClicks(page)).toBe(1);
    await page.context().close();
  });

  test.skipIf(lacksShell)(
    "§3 a customer with a gateway without a label copies its code, and the page opens the gateway by itself",
    { timeout },
    async () => {
      const page = await openCustomer("ben@example.com");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("link", { name: "Connect a gateway" }).click();
      await page.getByText("Waiting for its first contact…").waitFor();
      const deviceId = await page.getByLabel("Device ID").inputValue();
      await button(page, "Copy code").click();
      await page.getByText("Code copied.").waitFor();
      const program = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(await runCommand("bash", ["-c", program], { cwd: folder }))).toMatchObject({
        accepted: 1,
      });
      await heading(page, deviceId).waitFor();
      await page.getByText("26.53").first().waitFor();
      expect(await takeClicks(page)).toBe(2);
      await page.context().close();
    },
  );

  test("§8 an operator pauses a failing rollout and reads why an update failed, with three clicks", {
    timeout,
  }, async () => {
    const call = async (token: string, method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      expect((await fetch(`${site.url}/api/v1${path}`, init)).ok).toBe(true);
    };
    for (let n = 1; n <= deviceCount; n += 1) {
      const token = await register(`fleet-${n}`);
      await call(token, "GET", "/ota/latest?currentVersion=1.0.0");
      const failed = {
        state: "failed",
        version: "1.1.0",
        code: "no-space",
        message: "Flash full.",
      };
      if (n === 5) await call(token, "POST", "/ota/events", failed);
    }
    const page = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    page.setDefaultTimeout(timeout);
    await watchClicks(page);
    await page.goto(site.demoUrl);
    await button(page, "Open the demo").click();
    // The sign-in page has a heading too. Leaving it too early would abort the request that signs in.
    await heading(page, "Claim a gateway").waitFor();
    await page.goto("/");
    await page.getByText(/1 failed$/).waitFor();
    await takeClicks(page);

    await page.getByRole("button", { name: "Pause 1.1.0 for demo-thermometer" }).click();
    await page.getByText("Paused. No device is offered this release.").waitFor();
    await page.getByRole("button", { name: "1 Update failed" }).click();
    await page.getByRole("link", { name: "1.1.0 failed" }).click();
    await page.getByText("Flash full.").first().waitFor();
    await heading(page, "fleet-5").waitFor();
    expect(await takeClicks(page)).toBe(3);

    await page.goto("/");
    await page.getByRole("region", { name: "Fleet at a glance" }).waitFor();
    await checkView(page);
    await page.close();
  });
});
