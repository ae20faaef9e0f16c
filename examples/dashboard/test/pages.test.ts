import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { demoDevice } from "../../server/src/demo/demo-context.js";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { publicViews, type View, views } from "./all-views.js";
import { buildPage } from "./build-page.js";
import { checkView } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { findAccessibilityProblems } from "./page-checks.js";
import { actAsPlainHttp } from "./plain-http.js";
import { type Site, startSite } from "./start-site.js";
import { visit } from "./visit.js";
import { walkByTab } from "./walk-by-tab.js";

useCheapScrypt();

const timeout = 120_000;
const email = "olga@example.com";
const claimCode = "ABCD-EFGH-JKLM-NPQR";

describeInBrowser("every page, without a mouse, in both themes and all widths", () => {
  let site: Site;
  let browser: Browser;
  let folder: string;
  let page: Page;
  let webhookId: string;
  const browserErrors: string[] = [];

  /** Calls the API as the user of the page. */
  const call = async (method: string, path: string, data?: object) => {
    const headers = { origin: site.url };
    const response = await page.request.fetch(`/api/v1${path}`, {
      ...{ method, headers, ...(data && { data }) },
    });
    expect([path, response.status()]).toEqual([path, expect.toBeOneOf([200, 201, 202, 204])]);
    return response;
  };

  /** Registers a device of the operator, which has a day of readings. */
  const addDevice = async (account: ReturnType<typeof createBrowser>, deviceId: string) => {
    const device = createDeviceClient({ baseUrl: site.url });
    const { targetHardware } = demoDevice;
    const board = { hardwareId: "board-1", targetHardware, firmwareVersion: "1.0.0" };
    const { deviceSecret } = (
      await device.register({ deviceId, claimCode, ...board })
    )._unsafeUnwrap();
    expect((await account.claim(deviceId, claimCode)).status).toBe(200);
    (await device.login({ deviceId, deviceSecret }))._unsafeUnwrap();
    const records = Array.from({ length: 24 }, (_, hour) => ({
      timestamp: new Date(Date.now() - (23 - hour) * 3_600_000).toISOString(),
      temperature: 20 + (hour % 7),
      cells: Array.from({ length: 4 }, (__, cell) => 3.2 + cell / 100),
    }));
    (await device.sendTelemetry(records))._unsafeUnwrap();
    return device;
  };

  beforeAll(async () => {
    const pageFolder = await buildPage();
    folder = await mkdtemp(join(tmpdir(), "device-gateway-pages-"));
    const commandsFile = join(folder, "commands.json");
    const payload = { type: "object", properties: { minutes: { type: "integer", default: 5 } } };
    const blink = { title: "Blink", sentBy: ["owner", "operator"], payload };
    await writeFile(commandsFile, JSON.stringify({ blink }));
    const environment = {
      ...{ OPERATOR_EMAILS: email as unknown as string[], COMMANDS_FILE: commandsFile },
      ...{ WEBHOOKS: true, DG_RETENTION_TELEMETRY_DAYS: 2 },
    };
    [site, browser] = await Promise.all([
      startSite({ pageFolder, environment, manualWait: true }),
      openBrowser(),
    ]);
    const account = createBrowser(site.url);
    page = await openAccount(site, browser, account, { email, timeout });
    // A server in a customer's network may have no certificate.
    await actAsPlainHttp(page);
    page.on("pageerror", (error) => browserErrors.push(String(error)));
    page.on("console", (message) => {
      const isErrorResponse = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !isErrorResponse) browserErrors.push(message.text());
    });
    const device = await addDevice(account, "gw-1");
    await addDevice(account, "gw-2");
    for (const scope of ["own", "operator"]) {
      await call("POST", `/dashboard/alert-rules?scope=${scope}`, {
        name: "Too warm",
        condition: { kind: "above", metric: "temperature", threshold: 30 },
      });
    }
    (await device.sendTelemetry({ temperature: 31 }))._unsafeUnwrap();
    await call("POST", "/dashboard/devices/gw-1/commands", {
      name: "blink",
      payload: { minutes: 5 },
    });
    const webhook = {
      url: "https://hooks.invalid/integrations/maintenance-planning/device-gateway/events",
      filter: { kinds: [], targetHardware: [] },
    };
    const created = await call("POST", "/dashboard/webhooks?scope=operator", webhook);
    ({ id: webhookId } = ((await created.json()) as { webhook: { id: string } }).webhook);
    const countFiring = async (scope: string) => {
      const response = await call("GET", `/dashboard/alerts?scope=${scope}`);
      return ((await response.json()) as { alerts: object[] }).alerts.length;
    };
    await vi.waitFor(
      async () => {
        for (const scope of ["own", "operator"])
          expect(await countFiring(scope)).toBeGreaterThan(0);
      },
      { timeout },
    );
    // The link of the demo shows the e-mails that it keeps.
    await page.goto(site.demoUrl);
    await page.getByRole("heading", { level: 1 }).waitFor();
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const show = async ({ path, ready }: View) => {
    await visit(page, path.replace("WEBHOOK", webhookId));
    await page.getByText(ready).first().waitFor();
    await page.locator("[aria-busy=true], .skeleton").first().waitFor({ state: "detached" });
  };
  /** Every interactive element gets the focus in the order of the document, visibly. */
  const expectWalk = async (within: string) => {
    const { reached, expected } = await walkByTab(page, within);
    expect(expected.length).toBeGreaterThan(0);
    expect(reached.map(({ html }) => html)).toEqual(expected);
    expect(reached.filter(({ isMarked, isInView }) => !isMarked || !isInView)).toEqual([]);
  };
  /** The Enter key opens a dialog and Escape closes it. Then the focus is where it was. */
  const expectDialog = async (button: string, title: string) => {
    const opener = page.getByRole("button", { name: button, exact: true }).first();
    await opener.press("Enter");
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.locator(":focus").waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await opener.and(page.locator(":focus")).waitFor();
  };
  const checkPage = async (view: View) => {
    const checkDialogs = async () => {
      for (const [button, title] of view.dialogs ?? []) await expectDialog(button, title);
    };
    await page.setViewportSize({ width: 1440, height: 900 });
    await show(view);
    await expectWalk("main");
    await checkView(page, async () => {
      await expectWalk("main");
      await checkDialogs();
    });
    await checkDialogs();
  };

  test("the list has every page of the application", async () => {
    const source = await readFile(new URL("../src/app.tsx", import.meta.url), "utf8");
    const patterns = [...source.matchAll(/pattern: "([^"]*)"/g)].map(([, pattern = ""]) => pattern);
    expect(patterns.length).toBeGreaterThan(20);
    const shown = [...views, ...publicViews].map(({ path }) => path.replace(/[?#].*/, ""));
    const isShown = (pattern: string) => {
      const expected = new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}/?$`);
      return shown.some((path) => expected.test(path));
    };
    expect(patterns.filter((pattern) => !isShown(pattern))).toEqual([]);
  });

  test("the bar is used without a mouse: its menu closes with Escape, and the focus returns", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await expectWalk("header");
    const menu = page.locator(".menu");
    await menu.locator("summary").press("Enter");
    await page.keyboard.press("Tab");
    await menu.getByRole("link").first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await menu.locator("summary:focus").waitFor();
    expect(await menu.getByRole("link").first().isVisible()).toBe(false);
    await menu.locator("summary").press("Space");
    await expectWalk(".menu");
    await page.keyboard.press("Tab");
    // The menu closes when the focus moves on.
    await expect.poll(() => menu.getByRole("link").first().isVisible()).toBe(false);
  });

  test("on a phone, each link of the bar and each tab of a device is in view", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await show({ path: "/devices/gw-1/settings", ready: "Erase this device" });
    const ends = await page
      .locator(".nav a, .tabs a")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
    expect(ends).toHaveLength(10);
    expect(Math.max(...ends)).toBeLessThanOrEqual(390 - 8);
  });

  test("on a phone, nothing covers the open menu", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await show({ path: "/", ready: "gw-2" });
    await page.locator(".menu summary").press("Enter");
    const covers = await page.locator(".menu-panel").evaluate((panel) => {
      const { left, right, top, bottom } = panel.getBoundingClientRect();
      const found = new Set<string>();
      // Its corners are round.
      const edge = 12;
      for (let x = left + edge; x < right - edge; x += 4) {
        for (let y = top + edge; y < bottom - edge; y += 4) {
          const seen = document.elementFromPoint(x, y);
          if (seen && !panel.contains(seen)) found.add(seen.outerHTML.slice(0, 160));
        }
      }
      return [...found];
    });
    expect(covers).toEqual([]);
    await page.keyboard.press("Escape");
  });

  test.each(views.map((view) => [view.path, view] as const))(
    "%s is accessible, fits, and needs no mouse",
    async (_, view) => {
      await checkPage(view);
    },
  );

  test("selected devices are changed in a dialog, and the focus returns", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, "/");
    await page.getByLabel("Select gw-1").press("Space");
    await page.getByText("1 selected").waitFor();
    await expectDialog("Channel", "Set the update channel: 1 device");
    await expectDialog("Revoke", "Revoke: 1 device");
  });

  test("a page moves the focus before the user can, and not afterwards", async () => {
    await visit(page, "/nowhere");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const focused = await page.evaluate(async () => {
      history.pushState(null, "", "/");
      dispatchEvent(new PopStateEvent("popstate"));
      const box = () => document.querySelector<HTMLInputElement>('[aria-label="Select gw-1"]');
      for (let n = 0; n < 50 && box() === null; n++) await Promise.resolve();
      box()?.focus();
      // Whatever the page does after it is shown is over after two frames.
      for (let n = 0; n < 2; n++) {
        await new Promise(requestAnimationFrame);
        await new Promise((resolve) => setTimeout(resolve));
      }
      return document.activeElement?.getAttribute("aria-label");
    });
    expect(focused).toBe("Select gw-1");
  });

  test("the secret of a webhook is not lost by pressing Escape", async () => {
    await visit(page, `/webhooks/${webhookId}`);
    await page.getByRole("button", { name: "New secret" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "New secret" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "The secret of this webhook" });
    await dialog.waitFor();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
  });

  test("without an account, each public page is accessible, fits, and needs no mouse", async () => {
    await page.context().clearCookies();
    await page.goto("/sign-in");
    for (const view of publicViews) await checkPage(view);
    expect(browserErrors).toEqual([]);
  });
});
