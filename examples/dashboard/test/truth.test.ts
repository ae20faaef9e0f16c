import type { Locator, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { holdRequests } from "./hold-requests.js";
import { type ClaimedGateway, email, openClaimedGateway } from "./open-claimed-gateway.js";
import { visit } from "./visit.js";

useCheapScrypt();

const timeout = 120_000;
const longName = "W".repeat(64);

describeInBrowser("the page never shows what is not so", () => {
  let claimed: ClaimedGateway;
  let page: Page;

  beforeAll(async () => {
    claimed = await openClaimedGateway(timeout);
    page = claimed.page;
  });
  afterAll(() => claimed?.close());

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const text = (words: string) => page.getByText(words, { exact: true }).first();
  const send = async (data: object) =>
    (await claimed.gateway.sendTelemetry(data as never))._unsafeUnwrap();
  /** Advances the page's clock until the page shows the text. */
  const passTimeUntil = (shown: string | Locator) =>
    expect
      .poll(
        async () => {
          if (await (typeof shown === "string" ? text(shown) : shown).isVisible()) return true;
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
    // A further refusal changes the card, which stays where it is.
    const card = page.locator("section.card").filter({ hasText: "Refused by the server" });
    await card.evaluate((one) => one.setAttribute("data-first", ""));
    await send(tooMany);
    const refreshed = page.waitForResponse((response) => response.url().endsWith("/devices/gw-1"));
    await page.clock.fastForward(31_000);
    await refreshed;
    await passTimeUntil(page.getByText(/^3 times since/));
    expect(
      await page
        .locator("[data-first]")
        .getByText(/^3 times since/)
        .count(),
    ).toBe(1);
    // The device has never sent a record that was accepted. Power and Wi-Fi are not the cause.
    const other = await claimed.registerOther("gw-2");
    (await other.sendTelemetry({ ...tooMany }))._unsafeUnwrap();
    const { release } = await holdRequests(page, "**/telemetry/refusals");
    await visit(page, "/devices/gw-2");
    await text("No record was accepted").waitFor();
    await page.locator(".columns .skeleton").first().waitFor();
    await release();
    await text("A record has too many metrics").waitFor();
    expect(await page.getByText("power and Wi-Fi").count()).toBe(0);
    await visit(page, "/");
    await button("Records refused 2").click();
    await page.locator("tbody").getByText("records refused").first().waitFor();
  });

  test("a hidden page has no stream; when it is visible again, it also shows what arrived in the meantime", async () => {
    const setVisibility = (state: DocumentVisibilityState) =>
      page.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, value: to });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    const isStream = (request: Request) => request.url().endsWith("/telemetry/live");
    await visit(page, "/devices/gw-1");
    await text("Live").waitFor();
    await send({ note: "before" });
    await page.getByText("before", { exact: true }).waitFor();
    const closed = page.waitForEvent("requestfailed", isStream);
    await setVisibility("hidden");
    await closed;
    await send({ note: "while hidden" });
    const opened = page.waitForRequest(isStream);
    await setVisibility("visible");
    expect((await opened).headers()["last-event-id"]).toBeDefined();
    await page.getByText("while hidden", { exact: true }).waitFor();
  });

  test("on a phone, long names of metrics and rules and long IDs do not make the page scroll sideways", async () => {
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const longId = "W".repeat(128);
    await send({ [longName]: 1 });
    const rules = "/api/v1/dashboard/alert-rules?scope=operator";
    const rule = { name: longName, condition: { kind: "rollout_halted" } };
    expect((await claimed.account.call("POST", rules, rule)).status).toBe(201);
    await page.setViewportSize({ width: 390, height: 900 });
    await visit(page, `/devices/gw-1?metric=${longName}`);
    const chart = page.getByRole("figure", { name: longName });
    await chart.getByText("1", { exact: true }).first().waitFor();
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    await visit(page, "/alerts");
    await page.getByRole("heading", { name: longName }).waitFor();
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    await visit(page, "/connect");
    await page.getByLabel("Device ID").fill(longId);
    await button(`Claim ${longId}`).waitFor();
    await expect.poll(overflow).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("§7 a revoked device is shown as revoked, on its page and in the list", async () => {
    const change = async (what: string) => {
      const response = await claimed.account.call("POST", `/api/v1/operator/devices/gw-1/${what}`);
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
    // A page has two events. The second page can't be read at first.
    let isDown = true;
    await page.route("**/operator/audit?*", (route) => {
      const url = new URL(route.request().url());
      if (isDown && url.searchParams.has("cursor")) return route.abort();
      url.searchParams.set("limit", "2");
      return route.continue({ url: url.href });
    });
    await page.reload();
    await button("Show more").click();
    await button("Try again").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(2);
    isDown = false;
    await button("Try again").click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(4);
    expect(await button("Try again").count()).toBe(0);
    await page.unroute("**/operator/audit?*");
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

  test("after a change without a response, the page says that the change may have been made", async () => {
    await visit(page, "/devices/gw-1/settings");
    const config = "**/devices/gw-1/config";
    await page.route(config, (route) =>
      route.request().method() === "PUT" ? route.abort() : route.fallback(),
    );
    await page.getByLabel("Seconds between records").fill("77");
    await button("Save configuration").click();
    const unknown = page.getByText("The change may or may not have been made.");
    await unknown.waitFor();
    expect(await page.getByText("retries by itself").count()).toBe(0);
    await page.unroute(config);
    await button("Save configuration").click();
    await text("Saved. The gateway applies it with its next record.").waitFor();
    await unknown.waitFor({ state: "detached" });
  });

  test("saving the update target keeps what another operator has changed in the meantime", async () => {
    const path = "/api/v1/operator/devices/gw-1";
    const setTarget = async (target: object) =>
      expect((await claimed.account.call("PATCH", path, target)).status).toBe(200);
    await visit(page, "/devices/gw-1/settings");
    await page.getByLabel("Channel", { exact: true }).fill("beta");
    await setTarget({ pinnedVersion: "1.2.3" });
    await button("Save").click();
    await text("Pinned to 1.2.3.").waitFor();
    const { device } = (await (await claimed.account.call("GET", path)).json()) as {
      device: object;
    };
    expect(device).toMatchObject({ otaChannel: "beta", pinnedVersion: "1.2.3" });
    await setTarget({ otaChannel: "stable", pinnedVersion: null });
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
    // "Skip to content" does not leave the page, and neither does the way back.
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    page.on("dialog", async (dialog) => {
      questions.push(dialog.message());
      await dialog.accept();
    });
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    await expect.poll(() => page.url()).toContain("#main");
    await page.goBack();
    expect(page.url()).not.toContain("#main");
    expect(questions).toHaveLength(1);
    expect(requests).not.toContain("/api/site");
    expect(await page.getByLabel("Device name").inputValue()).toBe(longName);
    page.removeAllListeners("dialog");
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

  test("signing out asks before it discards unsaved changes, and the page says if it fails", async () => {
    await visit(page, "/devices/gw-1/settings");
    await page.getByLabel("Device name").fill("not saved");
    let attempts = 0;
    await page.route("**/api/auth/sign-out", (route) => {
      attempts += 1;
      return route.abort();
    });
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.locator(".menu summary").click();
    await button("Sign out").click();
    expect(attempts).toBe(0);
    page.once("dialog", (dialog) => void dialog.accept());
    await button("Sign out").click();
    await text("The server can't be reached. Check your connection and try again.").waitFor();
    expect(attempts).toBe(1);
    expect(page.url()).toContain("/devices/gw-1/settings");
    expect(await page.getByLabel("Device name").inputValue()).toBe("not saved");
    await page.unroute("**/api/auth/sign-out");
    page.once("dialog", (dialog) => void dialog.accept());
    await visit(page, "/");
    await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
  });

  test("the count of alerts says that there are more than it has read", async () => {
    const alerts = Array.from({ length: 50 }, () => ({}));
    const json = { alerts, nextCursor: "more" };
    await page.route("**/api/v1/dashboard/alerts?*", (route) => route.fulfill({ json }));
    await page.goto("/");
    await text("More than 50 alerts are firing").waitFor();
    await page.locator(".nav-count").getByText("50+", { exact: true }).waitFor();
    await page.unroute("**/api/v1/dashboard/alerts?*");
  });
});
