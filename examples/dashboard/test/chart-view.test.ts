import { readFile } from "node:fs/promises";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { type ClaimedGateway, openClaimedGateway } from "./open-claimed-gateway.js";

useCheapScrypt();

const timeout = 120_000;

describeInBrowser("the view of the charts", () => {
  let claimed: ClaimedGateway;
  let page: Page;

  beforeAll(async () => {
    claimed = await openClaimedGateway(timeout);
    page = claimed.page;
  });
  afterAll(() => claimed?.close());

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const text = (words: string) => page.getByText(words, { exact: true }).first();
  const openTab = (name: string) =>
    page.getByRole("navigation", { name: "Device" }).getByRole("link", { name }).click();

  test("the large number is the newest reading, and the view of the charts is kept in the URL", async () => {
    const now = Date.now();
    const records = Array.from({ length: 400 }, (_, i) => ({
      timestamp: new Date(now - (399 - i) * 20_000).toISOString(),
      soc: i === 399 ? 99 : 10,
      "cell.1": 3.3,
      huge: 1e308,
    }));
    (await claimed.gateway.sendTelemetry(records))._unsafeUnwrap();
    await page.goto("/devices/gw-1");
    await page.getByText("Average of 5 min").waitFor();
    const values = page.locator(".chart-value span:first-child");
    expect(await values.first().textContent()).toBe("99");
    // The view survives a reload and another tab.
    await button("Week").click();
    await button("cell.1").click();
    await button("huge").click();
    const plot = page.locator(".u-over").first();
    // The charts are drawn again when the data of the week arrives.
    await expect.poll(() => plot.boundingBox()).not.toBeNull();
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await plot.boundingBox()) ?? expect.fail("no plot");
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 5, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await button("Reset zoom").waitFor();
    const isPressed = (name: string) => button(name).getAttribute("aria-pressed");
    expect(await isPressed("Week")).toBe("false");
    const url = page.url();
    await openTab("Firmware");
    await text("no release for this hardware").waitFor();
    await openTab("Overview");
    await page.reload();
    await button("Reset zoom").waitFor();
    expect(page.url()).toBe(url);
    await plot.dblclick();
    await button("Reset zoom").waitFor({ state: "detached" });
    expect([await isPressed("Week"), await isPressed("huge")]).toEqual(["true", "true"]);
    const shown = (await values.allTextContents()).join(" ");
    expect([shown.includes("99"), shown.includes("1e+308")]).toEqual([true, true]);
    // The keyboard moves the cursor over the points, and a table lists them.
    const cursor = page.getByRole("slider", { name: "soc" });
    await cursor.press("Home");
    expect(await cursor.getAttribute("aria-valuetext")).toContain("10");
    expect(await values.first().textContent()).toBe("10");
    await cursor.press("End");
    expect(await values.first().textContent()).toBe("99");
    await page.getByText("Table of the shown points").first().click();
    await page.getByRole("region", { name: "Points of soc" }).getByText("99").first().waitFor();
    await expectAccessible(page);
  });

  test("earlier metrics, names with commas and many metrics can be chosen, also in one chart, and a finger zooms", async () => {
    const other = await claimed.registerOther("gw-3");
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const cells = (at: string) => ({
      timestamp: at,
      cells: Array.from({ length: 16 }, (_, n) => ({ voltage: 3.2 + n / 100 })),
      ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`value ${n}`, n])),
      "charge, total": 7,
    });
    const old = { timestamp: ago(72), "was, once": 5, soc: 1 };
    const records = [old, ...[3, 2, 1, 0].map((hours) => cells(ago(hours)))];
    (await other.sendTelemetry(records as never))._unsafeUnwrap();
    const context = await claimed.browser.newContext({
      ...{
        baseURL: claimed.site.url,
        reducedMotion: "reduce",
        hasTouch: true,
        acceptDownloads: true,
      },
      viewport: { width: 820, height: 1200 },
      storageState: await page.context().storageState(),
    });
    const phone = await context.newPage();
    phone.setDefaultTimeout(timeout);
    const chip = (name: string) => phone.getByRole("button", { name, exact: true });
    await phone.goto("/devices/gw-3");
    await phone.getByLabel("Search metrics").fill("value 199");
    await chip("value 199").click();
    await phone.getByLabel("Search metrics").fill("");
    await phone.getByRole("figure", { name: /^value 199: / }).waitFor();
    // A name with a comma, and one that only an earlier record has.
    await chip("charge, total").waitFor({ state: "detached" });
    await phone.getByRole("button", { name: /more…$/ }).click();
    await chip("charge, total").click();
    await phone.getByRole("figure", { name: /^charge, total: 4 points/ }).waitFor();
    await chip("Earlier metrics…").click();
    await chip("was, once").click();
    await chip("Week").click();
    await phone.getByRole("figure", { name: /^was, once: 1 point,/ }).waitFor();
    await chip("value 5").click();
    expect(await chip("value 6").isDisabled()).toBe(true);
    await phone.getByText("At most 6 charts.").waitFor();
    await expectAccessible(phone);
    // The cells of a battery are one choice.
    await chip("cells.*.voltage (16)").click();
    const together = phone.getByRole("figure", { name: /^16 metrics in one chart/ });
    await together.getByText("0.15", { exact: true }).waitFor();
    expect(await together.locator(".legend li").count()).toBe(16);
    await chip("6 h").click();
    const plot = phone.locator(".u-over");
    await expect.poll(() => plot.boundingBox()).not.toBeNull();
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await plot.boundingBox()) ?? expect.fail("no plot");
    const finger = await context.newCDPSession(phone);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", share: number) => {
      const points = type === "touchEnd" ? [] : [{ x: x + width * share, y: y + height / 2 }];
      return finger.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    };
    await touch("touchStart", 0.5);
    for (const share of [0.6, 0.7, 0.8, 0.95]) await touch("touchMove", share);
    await touch("touchEnd", 0.95);
    await chip("Reset zoom").waitFor();
    expect(phone.url()).toContain("zoom=");
    const saving = phone.waitForEvent("download");
    await chip("Download what is shown").click();
    const csv = await readFile(await (await saving).path(), "utf8");
    const [head = "", ...rows] = csv.trimEnd().split("\r\n");
    expect(head.split(",")).toHaveLength(17);
    expect(rows.length).toBeLessThan(5);
    expect(head).toContain("cells.15.voltage");
    // A custom range, by keyboard.
    await phone.getByText("Custom range", { exact: true }).press("Enter");
    await phone.getByLabel("From").fill("2020-01-01T00:00");
    await phone.getByLabel("To", { exact: true }).fill("2020-01-02T00:00");
    await phone.getByLabel("To", { exact: true }).press("Enter");
    await phone.getByText("No readings in this range.").waitFor();
    await expect.poll(() => phone.url()).toContain("zoom=15");
    await expectAccessible(phone);
    await context.close();
  });

  test("a comparison says what could not be read, offers to try again, and says if there is nothing to compare", async () => {
    const other = await claimed.registerOther("gw-4");
    (await other.sendTelemetry({ soc: 5 }))._unsafeUnwrap();
    for (const id of ["gw-5", "gw-6"]) await claimed.registerOther(id);
    const isHistory = "**/devices/gw-4/telemetry/history?*";
    await page.route(isHistory, (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto("/compare?device=gw-1&device=gw-4&device=nobody");
    const failureOf = (id: string) => page.getByRole("alert").filter({ hasText: `${id}: ` });
    await failureOf("nobody").getByRole("button", { name: "Try again" }).waitFor();
    await failureOf("gw-4").waitFor();
    const line = page.locator(".legend li").filter({ hasText: "gw-4" });
    expect(await line.textContent()).toBe("gw-4–");
    await expectAccessible(page);
    await page.unroute(isHistory);
    await failureOf("gw-4").getByRole("button", { name: "Try again" }).click();
    await line.getByText("5", { exact: true }).waitFor();
    await failureOf("gw-4").waitFor({ state: "detached" });
    await page.goto("/compare?device=gw-5&device=gw-6");
    await page.getByRole("heading", { name: "No numbers to compare" }).waitFor();
  });

  test("“Try again” repeats the request that failed, although others succeeded", async () => {
    const tryAgain = button("Try again");
    const failOnce = async (
      request: string | ((url: URL) => boolean),
      open: () => Promise<unknown>,
    ) => {
      await page.route(request, (route) => route.abort());
      await open();
      await tryAgain.waitFor();
      await page.unroute(request);
    };
    // Events that can't be read are not shown as none.
    const noEvents = text("No updates, changed settings or outages in this range.");
    const empty = "/devices/gw-1?metric=soc&zoom=1577836800-1577923200";
    await failOnce("**/config/history?*", () => page.goto(empty));
    expect(await noEvents.count()).toBe(0);
    await tryAgain.click();
    await noEvents.waitFor();
    expect(await tryAgain.count()).toBe(0);
    // Neither is a time that the list of changes does not reach.
    const newest = { json: { changes: [], nextCursor: "older" } };
    await page.route("**/config/history?*", (route) => route.fulfill(newest));
    await page.reload();
    await page.locator(".chart-events[aria-busy=false]").waitFor();
    expect(await noEvents.count()).toBe(0);
    await page.unroute("**/config/history?*");
    // The search for earlier metrics.
    const isSearch = ({ searchParams }: URL) => searchParams.get("interval") === "1d";
    await failOnce(isSearch, () => button("Earlier metrics…").click());
    await tryAgain.click();
    await button("Earlier metrics…").waitFor({ state: "detached" });
    expect(await tryAgain.count()).toBe(0);
    // The settings read the device a second time, for the names of its metrics.
    await failOnce("**/api/v1/dashboard/devices/gw-1", () => openTab("Settings"));
    await tryAgain.click();
    await page.getByLabel("Metric", { exact: true }).waitFor();
    expect(await tryAgain.count()).toBe(0);
  });

  const hourMs = 3_600_000;
  const endOf = (request: Request) => Number(new URL(request.url()).searchParams.get("to"));

  test("a browser whose clock is an hour wrong shows the times of the server", async () => {
    (await claimed.gateway.sendTelemetry({ soc: 42 }))._unsafeUnwrap();
    for (const aheadMs of [-hourMs, hourMs]) {
      const wrong = await page.context().newPage();
      wrong.setDefaultTimeout(timeout);
      await wrong.clock.install({ time: Date.now() + aheadMs });
      const asked = wrong.waitForRequest((request) => request.url().includes("/history?from="));
      await wrong.goto("/devices/gw-1?range=1h&metric=soc");
      expect(Math.abs(endOf(await asked) - Date.now())).toBeLessThan(hourMs / 2);
      await wrong.getByRole("figure", { name: /^soc: / }).waitFor();
      await wrong.getByText(/^seen (just now|\d+ (s|min) ago)$/).waitFor();
      await wrong.close();
    }
  });

  test("the range of a comparison moves on with the time, and that of a device when it is no longer zoomed", async () => {
    const clocked = await page.context().newPage();
    clocked.setDefaultTimeout(timeout);
    await clocked.clock.install();
    // The server's time does not move on with the page's clock, so the page must not know it.
    await clocked.addInitScript(() => {
      const { get } = Headers.prototype;
      Headers.prototype.get = function (name) {
        return name === "date" ? null : get.call(this, name);
      };
    });
    const opened = Date.now();
    const waitForEnd = () =>
      clocked.waitForRequest((request) => request.url().includes("/telemetry/history?"));
    await clocked.goto("/compare?device=gw-1&device=gw-4");
    await clocked.locator(".legend li").filter({ hasText: "gw-4" }).getByText("5").waitFor();
    const moved = waitForEnd();
    await clocked.clock.fastForward(hourMs);
    expect(endOf(await moved)).toBeGreaterThan(opened + hourMs);
    await clocked.goto("/devices/gw-1?zoom=1577836800-1577923200");
    await clocked.getByText("No readings in this range.").first().waitFor();
    await clocked.clock.fastForward(hourMs);
    const unzoomed = waitForEnd();
    await clocked.getByRole("button", { name: "Reset zoom" }).click();
    expect(endOf(await unzoomed)).toBeGreaterThan(opened + 2 * hourMs);
    await clocked.close();
  });
});
