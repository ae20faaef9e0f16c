import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { checkView, expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { fillFleet } from "./fleet/fill-fleet.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { findLayoutShifts, resetLayoutShifts, watchLayoutShifts } from "./page-checks.js";
import { type Site, startSite } from "./start-site.js";
import { visit } from "./visit.js";

useCheapScrypt();

const timeout = 120_000;
const email = "olga@example.com";
const claimCode = "ABCD-EFGH-JKLM-NPQR";
/** The list loads five pages of them. `pnpm dashboard fleet` loads ten thousand. */
const copies = 2_000;

describeInBrowser("an operator with two thousand devices", () => {
  let site: Site;
  let browser: Browser;
  let page: Page;
  let account: ReturnType<typeof createBrowser>;

  /** Registers a device of another hardware and version, which sends a record. */
  const registerSpecial = async (deviceId: string, soc: number) => {
    const device = createDeviceClient({ baseUrl: site.url });
    const registration = {
      ...{ deviceId, hardwareId: "board-2", targetHardware: "board-2", claimCode },
      firmwareVersion: "2.0.0",
    };
    const { deviceSecret } = (await device.register(registration))._unsafeUnwrap();
    (await device.login({ deviceId, deviceSecret }))._unsafeUnwrap();
    (await device.sendTelemetry({ soc, voltage: 26 }))._unsafeUnwrap();
    return device;
  };

  beforeAll(async () => {
    const pageFolder = await buildPage();
    const operators = email as unknown as string[];
    const SUMMARY_METRICS = "soc" as unknown as string[];
    const environment = { DEMO: false, OPERATOR_EMAILS: operators, SUMMARY_METRICS };
    [site, browser] = await Promise.all([startSite({ pageFolder, environment }), openBrowser()]);
    const device = createDeviceClient({ baseUrl: site.url });
    const registration = {
      ...{ deviceId: "first", hardwareId: "board-1", targetHardware: "board-1", claimCode },
      firmwareVersion: "1.0.0",
    };
    const { deviceSecret } = (await device.register(registration))._unsafeUnwrap();
    account = createBrowser(site.url);
    page = await openAccount(site, browser, account, { email, timeout });
    await watchLayoutShifts(page);
    expect((await account.claim("first", claimCode)).status).toBe(200);
    (await device.login({ deviceId: "first", deviceSecret }))._unsafeUnwrap();
    (await device.sendTelemetry({ soc: 50 }))._unsafeUnwrap();
    fillFleet(site.dataDir, "first", copies);
    await registerSpecial("special-1", 10);
    await registerSpecial("special-2", 90);
    const faulty = await registerSpecial("special-3", 40);
    (await faulty.sendTelemetry({ timestamp: "yesterday" } as never))._unsafeUnwrap();
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const rows = () => page.locator("tbody tr[data-row]");
  const glance = () => page.getByRole("region", { name: "Fleet at a glance" });
  const inspect = async (deviceId: string) =>
    (await account.call("GET", `/api/v1/operator/devices/${deviceId}`)).json() as Promise<{
      device: { otaChannel: string; pinnedVersion: string | null };
    }>;

  test("the start view counts what needs attention, and only the rows in view are rendered", async () => {
    await page.goto("/");
    await page.getByText("2,004 devices").waitFor();
    await glance().getByRole("button", { name: "1 Records refused" }).waitFor();
    await glance()
      .getByRole("button", { name: /^66\d Offline/ })
      .waitFor();
    expect(await rows().count()).toBeLessThan(60);
    expect(await page.locator("table").getAttribute("aria-rowcount")).toBe("2005");
    expect(await findLayoutShifts(page)).toEqual([]);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await rows().getByText("tank 1997", { exact: true }).waitFor();
    expect(await rows().count()).toBeLessThan(60);
    await page.evaluate(() => scrollTo(0, 0));
    await checkView(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await resetLayoutShifts(page);
  });

  test("devices with and without latest values have rows of the same height, also on a phone", async () => {
    await page.goto("/?order=seen");
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await rows().getByText("soc 10", { exact: true }).waitFor();
      await rows()
        .getByText(/^gw-00001 /)
        .waitFor();
      const difference = () =>
        rows().evaluateAll((all) => {
          const heights = all.map((row) => row.getBoundingClientRect().height);
          return Math.max(...heights) - Math.min(...heights);
        });
      // The page moves its parts after a change of its width.
      await expect.poll(difference, { message: `${width} px` }).toBeLessThan(1);
      if (width > 640) continue;
      // Only there, a row cuts off what is too high.
      const cut = await rows().evaluateAll(
        (all) => all.filter((row) => row.scrollHeight > row.clientHeight).length,
      );
      expect(cut).toBe(0);
    }
    await page.goto("/");
    await page.getByText("2,004 devices").waitFor();
  });

  test("columns sort, counts filter, and the address keeps both", async () => {
    const firstRow = () => rows().first().textContent();
    await button("Device").click();
    await expect.poll(firstRow).toContain("tank 1997");
    await button("Status").click();
    await expect.poll(firstRow).toContain("special-3");
    await page.reload();
    await expect.poll(firstRow).toContain("special-3");
    await glance()
      .getByRole("button", { name: /^2\.0\.0/ })
      .click();
    await page.getByText("3 of 2,004 devices").waitFor();
    await button("Offline 0").click();
    await page.getByText("The filter hides").waitFor();
    await button("Show all devices").click();
    await page.goto("/?version=2.0.0&order=-name");
    await expect.poll(firstRow).toContain("special-3");
    expect(await rows().count()).toBe(3);
  });

  test("§8 the selected devices are changed together, with a preview, progress and a result, by keyboard", async () => {
    await page.getByLabel("Select all shown devices").press("Space");
    await page.getByText("3 selected").waitFor();
    await button("Channel").press("Enter");
    await page.getByRole("heading", { name: "Set the update channel: 3 devices" }).waitFor();
    await page.getByText("special-1, special-2, special-3").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Channel", { exact: true }).fill("beta");
    await page.getByLabel("Channel", { exact: true }).press("Enter");
    await page.getByText("3 of 3 devices changed.").waitFor();
    await page.keyboard.press("Escape");
    expect((await inspect("special-2")).device.otaChannel).toBe("beta");
    await button("Configure").click();
    await page.getByLabel("Settings (JSON)").fill('{ "telemetryIntervalSeconds": 1 }');
    await button("Change 3 devices").click();
    await page.getByText("0 of 3 devices changed.").waitFor();
    await page.getByText("telemetryIntervalSeconds").waitFor();
    await expectAccessible(page);
    await button("Close").click();
    // The server may have made a change whose response was lost.
    await page.route("**/operator/bulk", (route) => route.abort());
    await button("Clear blocks").click();
    await button("Change 3 devices").click();
    await page.getByText("The result is unknown for 3 devices, which may have changed.").waitFor();
    await button("Close").click();
    await page.unroute("**/operator/bulk");
  });

  test("one metric of several devices is compared in one chart", async () => {
    await page.getByLabel("Select special-3").click();
    await page.getByRole("link", { name: "Compare" }).click();
    const chart = page.getByRole("figure", { name: /^2 metrics in one chart/ });
    await chart.getByText("80", { exact: true }).first().waitFor();
    expect(await chart.locator(".legend li").allTextContents()).toEqual([
      "special-110",
      "special-290",
    ]);
    await page.getByLabel("Metric", { exact: true }).selectOption("voltage");
    await chart.getByText("0", { exact: true }).first().waitFor();
    await expectAccessible(page);
  });

  test("a comparison of hardware that measure in different units shows no unit", async () => {
    for (const [hardware, unit] of [
      ["board-1", "°C"],
      ["board-2", "°F"],
    ] as const) {
      const path = `/api/v1/operator/metrics?targetHardware=${hardware}`;
      expect((await account.call("PATCH", path, { soc: { unit } })).status).toBe(200);
    }
    const legend = () => page.locator(".legend li").allTextContents();
    await page.goto("/compare?metric=soc&device=special-1&device=special-2");
    await expect.poll(legend).toEqual(["special-110 °F", "special-290 °F"]);
    const described = Promise.all(
      ["first", "special-2"].map((id) => page.waitForResponse(`**/devices/${id}/metrics`)),
    );
    await page.goto("/compare?metric=soc&device=first&device=special-2");
    for (const response of await described) await response.finished();
    await expect.poll(legend).toEqual(["first50", "special-290"]);
  });

  test("leaving a running change of many devices asks first, and then stops the rest", async () => {
    await visit(page, "/alerts");
    const alerts = page.getByRole("heading", { level: 1, name: "Alerts" });
    await alerts.waitFor();
    await visit(page, "/");
    let sent = 0;
    const held: Route[] = [];
    await page.route("**/operator/bulk", async (route) => {
      sent += 1;
      if (sent === 2) held.push(route);
      else await route.fallback();
    });
    await page.getByLabel("Select all shown devices").press("Space");
    await button("Clear blocks").click();
    await button("Change 2,004 devices").click();
    await page.getByText("50 of 2,004 devices changed.").waitFor();
    await expect.poll(() => held.length).toBe(1);
    const goBack = async (answer: "accept" | "dismiss") => {
      const asked = page.waitForEvent("dialog");
      await page.evaluate(() => history.back());
      const dialog = await asked;
      expect(dialog.message()).toBe("The change is still running. Leave and stop it?");
      await dialog[answer]();
    };
    await goBack("dismiss");
    await page.getByText("50 of 2,004 devices changed.").waitFor();
    await goBack("accept");
    await alerts.waitFor();
    const answered = page.waitForResponse("**/operator/bulk");
    await held[0]?.fallback();
    await (await answered).finished();
    // A further request would have been sent by now.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(sent).toBe(2);
    await page.unroute("**/operator/bulk");
  });

  test("§8 an operator erases a device, and finds how to connect a new one", async () => {
    await visit(page, "/devices/special-1/settings");
    await button("Erase this device").click();
    await expectAccessible(page);
    await button("Erase device").click();
    await page.getByText("Erased special-1.").waitFor();
    await page.getByText("2,003 devices").waitFor();
    await page.getByRole("link", { name: "New gateway" }).click();
    const isInspected = "**/operator/devices/brand-new";
    await page.route(isInspected, (route) => route.abort());
    await page.getByLabel("Device ID").fill("brand-new");
    await page.getByText("The server does not answer. Trying again…").waitFor();
    await page.unroute(isInspected);
    await page.getByLabel("Device ID").fill("not valid");
    await page.getByText("1 to 128 of A-Z").waitFor();
    await page.getByLabel("Device ID").fill("");
    await page.getByText("Waiting for its registration…").waitFor();
    await page.getByLabel("Device ID").fill("brand-new");
    await page.getByLabel("Hardware ID").fill("board-3");
    const code = await page.getByLabel("Claim code").inputValue();
    const sample = page.getByRole("region", { name: "Code" });
    for (const language of ["curl", "TypeScript", "MicroPython", "C"]) {
      await button(language).click();
      const text = (await sample.textContent()) ?? "";
      expect([language, text.includes("brand-new"), text.includes(code)]).toEqual([
        ...[language, true, true],
      ]);
    }
    await page.getByText("Waiting for its registration…").waitFor();
    await expectAccessible(page);
    const device = createDeviceClient({ baseUrl: site.url });
    const registration = {
      ...{ deviceId: "brand-new", hardwareId: "board-3", firmwareVersion: "1.0.0" },
      claimCode: code,
    };
    (await device.register(registration))._unsafeUnwrap();
    await page.getByText("Waiting for its first record…").waitFor();
    await button("Claim brand-new").click();
    await page.getByRole("heading", { level: 1, name: "brand-new" }).waitFor();
  });
});
