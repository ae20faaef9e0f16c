import { readFile } from "node:fs/promises";
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
import { visit } from "./visit.js";

useCheapScrypt();

const timeout = 120_000;
const email = "ann@example.com";
const longName = "W".repeat(64);
const claimCode = "ABCD-EFGH-JKLM-NPQR";

describeInBrowser("the page never shows what is not so", () => {
  let pageFolder: string;
  let site: Site;
  let browser: Browser;
  let page: Page;
  const device = () => createDeviceClient({ baseUrl: site.url });
  let gateway: ReturnType<typeof device>;
  let credentials: { readonly deviceId: string; readonly deviceSecret: string };
  let account: ReturnType<typeof createBrowser>;

  beforeAll(async () => {
    pageFolder = await buildPage();
    const operators = email as unknown as string[];
    [site, browser] = await Promise.all([
      startSite({
        pageFolder,
        environment: { DEMO: false, OPERATOR_EMAILS: operators },
      }),
      openBrowser(),
    ]);
    gateway = device();
    const deviceId = "gw-1";
    const firmware = { targetHardware: "board", firmwareVersion: "1.0.0" };
    const registration = { deviceId, hardwareId: "board-1", claimCode, ...firmware };
    const { deviceSecret } = (await gateway.register(registration))._unsafeUnwrap();
    account = createBrowser(site.url, { proxied: false });
    page = await openAccount(site, browser, account, { email, timeout });
    expect((await account.claim(deviceId, claimCode)).status).toBe(200);
    credentials = { deviceId, deviceSecret };
    (await gateway.login(credentials))._unsafeUnwrap();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const text = (words: string) => page.getByText(words, { exact: true }).first();
  const send = async (data: object) => (await gateway.sendTelemetry(data as never))._unsafeUnwrap();
  /** Advances the page's clock until the page shows the text. */
  const passTimeUntil = (words: string) =>
    expect
      .poll(
        async () => {
          if (await text(words).isVisible()) return true;
          await page.clock.fastForward(5_000);
          return false;
        },
        { timeout, interval: 200 },
      )
      .toBe(true);
  const openTab = (name: string) =>
    page.getByRole("navigation", { name: "Device" }).getByRole("link", { name }).click();

  test("while the server does not answer, nothing is shown as online or live, and the page recovers by itself", async () => {
    await send({ note: "nothing measured" });
    await page.clock.install();
    await page.goto("/devices/gw-1");
    await text("Live").waitFor();
    await text("Online").waitFor();
    // From now on no request is answered, and the open stream stays silent.
    let answers = false;
    await page.route("**/api/v1/**", (route) => (answers ? route.continue() : undefined));
    await passTimeUntil("Status unknown");
    await passTimeUntil("Reconnecting");
    await page.getByText(/^last update \d+ (s|min) ago$/).waitFor();
    await expectAccessible(page);
    // A tab shows its own error, and the device stays.
    await openTab("Settings");
    await page.getByRole("heading", { level: 1, name: "gw-1" }).waitFor();
    await page.getByLabel("Device name").waitFor();
    answers = true;
    await passTimeUntil("Live");
    await passTimeUntil("Online");
    await page.unroute("**/api/v1/**");
  });

  const registerOther = async (deviceId: string) => {
    const other = device();
    const firmware = { targetHardware: "board", firmwareVersion: "1.0.0" };
    const registration = { deviceId, hardwareId: "board-1", claimCode, ...firmware };
    const { deviceSecret } = (await other.register(registration))._unsafeUnwrap();
    (await other.login({ deviceId, deviceSecret }))._unsafeUnwrap();
    return other;
  };

  test("§7 refused records are shown with the reason and how often, and a record without numbers is not hidden", async () => {
    const tooMany = { cells: Array.from({ length: 300 }, (_, n) => n) };
    await page.goto("/devices/gw-1");
    await text("No numbers to draw").waitFor();
    await text("nothing measured").waitFor();
    await send([tooMany, tooMany]);
    await page.reload();
    await text("A record has too many metrics").waitFor();
    await page.getByText(/^2 times since/).waitFor();
    await page.getByText("at most 256 metrics").waitFor();
    await expectAccessible(page);
    // The device has never sent a record that was accepted. Power and Wi-Fi are not the cause.
    const other = await registerOther("gw-2");
    (await other.sendTelemetry({ ...tooMany }))._unsafeUnwrap();
    await visit(page, "/devices/gw-2");
    await text("No record was accepted").waitFor();
    expect(await page.getByText("power and Wi-Fi").count()).toBe(0);
    await visit(page, "/");
    await button("Records refused 2").click();
    await page.locator("tbody").getByText("records refused").first().waitFor();
  });

  test("§7 a revoked device is shown as revoked, on its page and in the list", async () => {
    const change = async (what: string) => {
      const response = await account.call("POST", `/api/v1/operator/devices/gw-1/${what}`);
      expect(response.status).toBeLessThan(300);
    };
    await change("revoke");
    await page.goto("/devices/gw-1");
    await text("Revoked").waitFor();
    expect(await text("Live").count()).toBe(0);
    await visit(page, "/");
    await button("Revoked 1").click();
    await page.locator("tbody").getByText("Revoked").waitFor();
    await button("Online 1").waitFor();
    await expectAccessible(page);
    await change("reinstate");
  });

  test("the large number is the newest reading, and the view of the charts is kept in the URL", async () => {
    const now = Date.now();
    const records = Array.from({ length: 400 }, (_, i) => ({
      timestamp: new Date(now - (399 - i) * 20_000).toISOString(),
      soc: i === 399 ? 99 : 10,
      "cell.1": 3.3,
      huge: 1e308,
    }));
    (await gateway.login(credentials))._unsafeUnwrap();
    await send(records);
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
    const other = await registerOther("gw-3");
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
    const context = await browser.newContext({
      ...{ baseURL: site.url, reducedMotion: "reduce", hasTouch: true, acceptDownloads: true },
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
    // An own range, by keyboard.
    await phone.getByText("Own range", { exact: true }).press("Enter");
    await phone.getByLabel("From").fill("2020-01-01T00:00");
    await phone.getByLabel("To", { exact: true }).fill("2020-01-02T00:00");
    await phone.getByLabel("To", { exact: true }).press("Enter");
    await phone.getByText("No readings in this range.").waitFor();
    await expect.poll(() => phone.url()).toContain("zoom=15");
    await expectAccessible(phone);
    await context.close();
  });

  test("the audit trail names people and is searched by device and by address", async () => {
    await visit(page, "/audit");
    await page.getByRole("link", { name: email }).first().waitFor();
    const search = page.getByLabel("Device ID or e-mail address");
    await search.fill("gw-2");
    await search.press("Enter");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.locator("tbody").getByText("gw-2").first().waitFor();
    await search.fill(email.toUpperCase());
    await button("Show events").click();
    await expect.poll(() => page.url()).toContain("actor=");
    await page.locator("tbody").getByText("device.revoked").waitFor();
    expect(await page.locator("tbody").getByText("device.registered").count()).toBe(0);
    await expectAccessible(page);
    await search.fill("nobody@example.com");
    await button("Show events").click();
    await text("No account has this address.").waitFor();
    await button("All events").click();
    await page.locator("tbody").getByText("device.registered").first().waitFor();
  });

  test("a label is scanned where the browser can read QR codes", async () => {
    await visit(page, "/claim");
    await button("Claim this gateway").waitFor();
    expect(await button("Scan the label").count()).toBe(0);
    const other = await page.context().newPage();
    other.setDefaultTimeout(timeout);
    await other.addInitScript(() => {
      let looks = 0;
      class BarcodeDetector {
        detect = async () => {
          looks += 1;
          const text = looks === 1 ? "https://elsewhere.example/" : "https://old.example/claim?";
          return [{ rawValue: `${text}${looks === 1 ? "" : "device=gw-9&code=CODE-1234"}` }];
        };
      }
      Object.assign(globalThis, { BarcodeDetector });
      navigator.mediaDevices.getUserMedia = async () =>
        document.createElement("canvas").captureStream();
    });
    await other.goto("/claim");
    await other.getByRole("button", { name: "Scan the label" }).click();
    await expect.poll(() => other.getByLabel("Claim code").inputValue()).toBe("CODE-1234");
    expect(await other.getByLabel("Device ID").inputValue()).toBe("gw-9");
    expect(await other.getByRole("dialog").count()).toBe(0);
    await expectAccessible(other);
    await other.close();
  });

  test("the page asks before it discards unsaved changes", async () => {
    await visit(page, "/devices/gw-1/settings");
    await page.getByLabel("Device name").fill(longName);
    const questions: string[] = [];
    page.once("dialog", async (dialog) => {
      questions.push(dialog.message());
      await dialog.dismiss();
    });
    await openTab("Overview");
    expect(questions).toEqual(["Your changes are not saved. Leave without saving?"]);
    expect(await page.getByLabel("Device name").inputValue()).toBe(longName);
    await button("Save name").click();
    await text("Name saved.").waitFor();
    await openTab("Overview");
    await button("Week").waitFor();
  });

  test("a long name fits, the menu closes on navigation, and an empty list names its cause", async () => {
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    for (const path of ["/devices/gw-1", "/"]) {
      await visit(page, path);
      for (const width of [390, 820, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const name = page
          .locator("h1, .name a")
          .getByText(longName)
          .or(page.getByRole("heading", { name: longName }))
          .first();
        await name.waitFor();
        const fits = async () => {
          const box = await name.boundingBox();
          return box !== null && box.x + box.width <= width;
        };
        // The page moves its parts after a change of its width.
        await expect.poll(overflow, { message: `${path} at ${width} px` }).toBeLessThanOrEqual(0);
        if (path === "/") {
          const filter = await button("Update available 0").boundingBox();
          expect([width, filter !== null && filter.x + filter.width < width - 16]).toEqual([
            width,
            true,
          ]);
        }
        expect([path, width, await fits()]).toEqual([path, width, true]);
      }
    }
    await page.locator(".menu summary").click();
    await page.locator(".menu").getByRole("link", { name: "Your account" }).click();
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    expect(await page.getByText("Signed in as").isVisible()).toBe(false);
    await visit(page, "/?q=gw-1&show=update");
    await page.getByText("The filter hides").waitFor();
  });
});
