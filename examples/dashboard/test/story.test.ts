import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { linkIn, tokenIn } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { fillInRelease } from "./fill-in-release.js";
import { findAccessibilityProblems, findLayoutShifts, resetLayoutShifts } from "./page-checks.js";
import { readQrCode } from "./read-qr-code.js";
import type { Site } from "./start-site.js";
import { polling, useStory } from "./use-story.js";

useCheapScrypt();

describeInBrowser("the dashboard in a real browser", () => {
  let site: Site;
  let browser: Browser;
  let page: Page;
  const story = useStory((opened) => {
    ({ site, browser, page } = opened);
  });
  const { runDemoUntil, runDemoUntilLive, expectGoodPage, browserErrors } = story;
  const { button, heading, openTab, readLabel, logInDevice, tabTo } = story;

  test("without the demo link the demo stays closed, and the page says where to find the link", async () => {
    await page.goto("/");
    await page.getByText("The link ends with #demo=…").waitFor();
    expect(await button("Open the demo").isVisible()).toBe(false);
    await expectGoodPage();
  });

  test("the claim link on a label still works after signing up", async () => {
    await expect
      .poll(async () => (await readLabel().catch(() => undefined))?.deviceSecret, polling)
      .toBeDefined();
    const label = await readLabel();
    await page.goto(`/claim?device=demo-gateway&code=${label.claimCode}`);
    await heading("Sign in to claim your gateway").waitFor();
    await expectGoodPage();
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Name").fill("Ann");
    await page.getByLabel("E-mail").fill("ann@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    const password = page.getByLabel("Password");
    expect(await password.getAttribute("type")).toBe("password");
    expect(await password.getAttribute("autocomplete")).toBe("new-password");
    await expectGoodPage();
    await button("Create account").click();
    await heading("Claim a gateway").waitFor();
    expect(await page.getByLabel("Claim code").inputValue()).toBe(label.claimCode);
  });

  test("§3 claiming needs a verified address; the link in the e-mail asks for the password", async () => {
    await button("Claim this gateway").click();
    await page.getByText("Your e-mail address is not verified.").waitFor();
    await expectGoodPage();
    const requestedUrls: string[] = [];
    page.on("request", (request) => requestedUrls.push(request.url()));
    await page.goto(linkIn(site.mails[0]));
    await heading("Verify your e-mail address").waitFor();
    await expectGoodPage();
    // With the keyboard only.
    await tabTo("Password");
    await page.keyboard.type("wrong horse battery");
    await page.keyboard.press("Enter");
    await page.getByText("The password is wrong.").waitFor();
    await expectGoodPage();
    await page.getByLabel("Password").press("ControlOrMeta+a");
    await page.keyboard.type("correct horse battery");
    await page.keyboard.press("Enter");
    await heading("Claim a gateway").waitFor();
    const token = tokenIn(site.mails[0]);
    expect(token).not.toBe("");
    expect(requestedUrls.filter((url) => new URL(url).href.split("#")[0]?.includes(token))).toEqual(
      [],
    );
    await button("Claim this gateway").click();
    await heading("demo-gateway").waitFor();
  });

  test("readings arrive live, without a reload", async () => {
    await runDemoUntilLive();
    const value = page.locator(".chart-value span").first();
    await value.waitFor();
    await page.locator(".plot canvas").first().waitFor();
    const when = await page.locator(".card .small.muted").first().textContent();
    await expectGoodPage();
    const historyLoaded = page.waitForResponse((response) =>
      response.url().includes("/telemetry/history"),
    );
    await button("Month").click();
    expect((await historyLoaded).status()).toBe(200);
    await page.getByText("with the range from lowest to highest").waitFor();
    const before = await value.textContent();
    await runDemoUntil(async () => (await value.textContent()) !== before);
    expect(when).not.toBe("");
    await expectGoodPage();
  });

  test("a record without metrics does not remove the charts", async () => {
    (await (await logInDevice()).sendTelemetry({ note: "nothing measured" }))._unsafeUnwrap();
    await page.getByText("nothing measured").waitFor();
    await page.getByRole("figure", { name: /^temperature: \d+ points/ }).waitFor();
    await page.locator(".plot canvas").waitFor();
    await expectGoodPage();
  });

  test("markup in a record is shown as text", async () => {
    const markup = `<img src="planted" onerror="document.title='x'">`;
    (
      await (await logInDevice()).sendTelemetry({ note: markup, [markup]: "named" })
    )._unsafeUnwrap();
    await page.getByText("named", { exact: true }).waitFor();
    expect(await page.getByText(markup).count()).toBeGreaterThan(1);
    expect(await page.locator('img[src="planted"]').count()).toBe(0);
    await resetLayoutShifts(page);
  });

  test("§8 the gateway applies a new configuration; a conflict is shown", async () => {
    await openTab("Settings");
    await page.getByLabel("Seconds between records").waitFor();
    await expectGoodPage();
    // Someone else saves first.
    const config = `${site.url}/api/v1/dashboard/devices/demo-gateway/config`;
    const others = await page.request.put(config, {
      data: { telemetryIntervalSeconds: 30 },
      headers: { origin: site.url },
    });
    expect(others.status()).toBe(200);
    await page.getByLabel("Seconds between records").fill("12");
    await button("Save configuration").click();
    await page.getByText("Seconds between records: saved 30, yours 12").waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    // The owner changes the form once more. That is what is saved.
    await page.getByLabel("Seconds between records").fill("11");
    await page.getByText("Seconds between records: saved 30, yours 11").waitFor();
    await button("Overwrite with mine").click();
    await page.getByText("Saved. The gateway applies it with its next record.").waitFor();
    await expect
      .poll(() => page.getByLabel("Seconds between records").inputValue(), polling)
      .toBe("11");
    await runDemoUntil(async () => site.demoWait.latestMs === 11_000);
    await page.getByLabel("Device name").fill("Boiler room");
    await button("Save name").click();
    await heading("Boiler room").waitFor();
    // The forms have grown and shrunk after clicks, at the speed of the responses.
    await resetLayoutShifts(page);
  });

  test("§8 an operator publishes by upload, and activates", async () => {
    const operator = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    operator.setDefaultTimeout(polling.timeout);
    // Another browser opens the same link.
    await operator.goto(site.demoUrl);
    await operator.getByRole("button", { name: "Open the demo" }).click();
    await operator.getByRole("heading", { level: 1, name: "Boiler room" }).waitFor();
    await fillInRelease(operator, site.key);
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    await operator.getByRole("button", { name: "Upload as draft" }).click();
    await operator.getByRole("button", { name: "Activate" }).click();
    await operator.getByRole("button", { name: "Pause rollout" }).waitFor();
    await operator.getByLabel("Device ID").fill("demo-gateway");
    await operator.getByRole("button", { name: "Check" }).click();
    await operator.getByText("This device is offered this release.").waitFor();
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    // A device that is pinned to another version is not offered the release.
    const save = operator.getByRole("button", { name: "Save", exact: true });
    await operator.goto("/devices/demo-gateway/settings");
    await operator.getByLabel("Pinned version").fill("1.0.5");
    await save.click();
    await operator.getByText("Pinned to 1.0.5.").waitFor();
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    await operator.reload();
    expect(await operator.getByLabel("Pinned version").inputValue()).toBe("1.0.5");
    await operator.getByLabel("Pinned version").fill("");
    await save.click();
    await operator.getByText("Follows the channel stable.").waitFor();
    await operator.close();
  });

  test("§8 after “Update now” the gateway installs the release, and the history shows each step", async () => {
    await openTab("Firmware");
    await page.getByText("update available").first().waitFor();
    await expectGoodPage();
    await button("Update now").click();
    const updated = page.locator(".timeline li.good").getByText("Updated").first();
    await runDemoUntil(() => updated.isVisible());
    await page.getByText("up to date").first().waitFor();
    await expectGoodPage();
    // The charts mark the update.
    await openTab("Overview");
    await page
      .getByRole("list", { name: "Events in this range" })
      .getByText(/Updated: 1\.1\.0/)
      .waitFor();
    await resetLayoutShifts(page);
  });

  test("a released device disappears from the list", async () => {
    await page.goto("/devices/demo-gateway/settings");
    await button("Release this device").click();
    await expectGoodPage();
    await button("Release device").click();
    await page.getByText("No gateways yet").waitFor();
    await expectGoodPage();
    // The demo link shows the label. In an open tab it changes only the fragment.
    await page.goto(site.demoUrl);
    const { claimCode } = await readLabel();
    await page.getByAltText("QR code of the claim link").waitFor();
    expect(page.url()).not.toContain("demo=");
    expect(await readQrCode(page.locator(".qr"))).toBe(
      `${site.url}/claim?device=demo-gateway&code=${claimCode}`,
    );
  });

  test("one click opens the demo", async () => {
    await page.goto("/");
    await page.getByText("Ann", { exact: true }).click();
    await button("Sign out").click();
    // The first responses are from before the gateway has registered.
    let earlyResponses = 3;
    await page.route("**/api/site", async (route) => {
      const answer = await route.fetch();
      const site = await answer.json();
      const shown =
        earlyResponses-- > 0 ? { ...site, demo: site.demo && { ...site.demo, label: null } } : site;
      await route.fulfill({ response: answer, json: shown });
    });
    await button("Open the demo").click();
    await heading("Claim a gateway").waitFor();
    await page.unroute("**/api/site");
    await button("Claim this gateway").click();
    await runDemoUntilLive();
    // Nothing moves while a page loads.
    for (const [path, ready] of [
      ["/", "demo-gateway"],
      ["/releases", "demo-thermometer"],
      ["/releases/1", "1 device was offered this release."],
      ["/audit", "device.claimed"],
      ["/devices/demo-gateway/firmware", "installed"],
    ] as const) {
      await page.goto(path);
      await page.getByText(ready).first().waitFor();
      expect([path, await findLayoutShifts(page)]).toEqual([path, []]);
    }
  });

  test("the browser stores the colour scheme and the demo's token, and nothing else", async () => {
    const stored = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
    expect(stored.filter((name) => !["theme", "demo-token"].includes(name))).toEqual([]);
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
    expect(await page.evaluate(() => document.cookie), "no cookie is readable").toBe("");
  });

  test("no script fails, and nothing violates the content security policy", () => {
    expect(browserErrors).toEqual([]);
  });
});
