import { createHash } from "node:crypto";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { holdRequests } from "./hold-requests.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const timeout = 120_000;
const operators = "olga@example.com" as unknown as string[];

describeInBrowser("releases in the browser, and one that failed on a device", () => {
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

  /** Registers a device, and returns its token. */
  const register = async (deviceId: string) => {
    const device = createDeviceClient({ baseUrl: site.url });
    const registered = await device.register({
      ...{ deviceId, hardwareId: "demo:thermometer", claimCode: "ABCD-EFGH-JKLM-NPQR" },
      ...{ targetHardware: "demo-thermometer", firmwareVersion: "1.0.0" },
    });
    return registered._unsafeUnwrap().token;
  };

  beforeAll(async () => {
    const pageFolder = await buildPage();
    const environment = { DEMO: false, OPERATOR_EMAILS: operators };
    [site, browser] = await Promise.all([startSite({ pageFolder, environment }), openBrowser()]);
    token = await register("gw-1");
    const olga = createBrowser(site.url);
    page = await openAccount(site, browser, olga, { email: "olga@example.com", timeout });
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
  });

  test("a device's page says that an update is offered only if it could read whether updates are on", async () => {
    const config = "**/dashboard/devices/gw-1/config";
    await page.route(config, (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto("/devices/gw-1/firmware");
    await page.getByText("The server returned status 503. Try again.").waitFor();
    await page.getByRole("heading", { name: /^1\.1\.0/ }).waitFor();
    const offer = page.getByText("The device is offered an update when it checks for one.");
    expect(await offer.count()).toBe(0);
    await page.unroute(config);
    await page.reload();
    await offer.waitFor();
  });

  test("a device with an old version that is offered no update is not shown as up to date", async () => {
    const pinTo = async (pinnedVersion: string | null) => {
      const pinned = await page.request.patch("/api/v1/operator/devices/gw-1", {
        ...{ data: { pinnedVersion }, headers: { origin: site.url } },
      });
      expect(pinned.status()).toBe(200);
    };
    await pinTo("1.0.5");
    await page.goto("/devices/gw-1/firmware");
    await page.getByText("1.1.0 not offered", { exact: true }).waitFor();
    expect(await page.getByText("up to date").count()).toBe(0);
    await pinTo(null);
    await page.reload();
    await page.getByText("update available", { exact: true }).waitFor();
  });

  test("§8 an operator clears the block of a device, which is offered the release again", async () => {
    await failThrice();
    await page.goto("/devices/gw-1/firmware");
    await page.locator(".version").getByText("1.1.0 failed").waitFor();
    expect(await page.getByText("up to date").count()).toBe(0);
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
    // If the new target cannot be read, the forms stay, with what an operator has typed in them.
    const inspected = "**/operator/devices/gw-1";
    await page.route(inspected, (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ status: 503, json: {} })
        : route.fallback(),
    );
    await page.getByLabel(/^On a test bench/).check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Follows the channel stable.").waitFor();
    await page.getByText("The server returned status 503. Try again.").waitFor();
    expect(await page.getByLabel(/^On a test bench/).isChecked()).toBe(true);
    await page.unroute(inspected);
    const failed = page.getByRole("alert");
    await failed.getByRole("button", { name: "Try again" }).click();
    await failed.waitFor({ state: "detached" });
    for (let n = 0; n < 5; n++) {
      const body = { state: "failed", version: "1.1.0", message: `on the bench ${n}` };
      expect((await callAsDevice("POST", "/ota/events", body)).status).toBe(202);
      expect(await offered()).toBe("1.1.0");
    }
    await page.reload();
    await page.getByRole("heading", { name: "Update target" }).waitFor();
    expect(await page.getByLabel(/^On a test bench/).isChecked()).toBe(true);
  });

  /** Opens another page of the operator, and holds its requests to a path. */
  const openHeld = async (path: string, method: string) => {
    const opened = await page.context().newPage();
    opened.setDefaultTimeout(timeout);
    return { opened, ...(await holdRequests(opened, path, method)) };
  };

  test("the page of a release waits for a slow server, instead of asking again and again", async () => {
    const { opened, held, release } = await openHeld("**/operator/firmware/releases/1", "GET");
    await opened.clock.install();
    await opened.goto("/releases/1");
    await expect.poll(() => held.length).toBe(1);
    // Requests are given up after 20 s.
    for (let seconds = 0; seconds < 18; seconds += 6) await opened.clock.fastForward(6_000);
    expect(held).toHaveLength(1);
    await release();
    await opened.getByRole("heading", { level: 1, name: /^1\.1\.0/ }).waitFor();
    await opened.close();
  });

  test("the form of a release has the hash of the file chosen last, and does not take the user back after the upload", async () => {
    const { opened, held } = await openHeld("**/operator/firmware/releases/77/image", "PUT");
    const created = { status: 201, json: { release: { id: 77 } } };
    await opened.route("**/operator/firmware/releases", (route) =>
      route.request().method() === "POST" ? route.fulfill(created) : route.fallback(),
    );
    await opened.addInitScript(() => {
      const { subtle } = crypto;
      const finishHash: (() => Promise<ArrayBuffer>)[] = [];
      Object.assign(globalThis, { finishHash });
      const digest = subtle.digest.bind(subtle);
      subtle.digest = (...input) =>
        new Promise((resolve) => {
          finishHash.push(() => {
            const hash = digest(...input);
            resolve(hash);
            return hash;
          });
        });
    });
    const countHashes = () =>
      opened.evaluate(() => (globalThis as unknown as { finishHash: object[] }).finishHash.length);
    const finishHash = (n: number) =>
      opened.evaluate(async (at) => {
        const { finishHash: all } = globalThis as unknown as {
          finishHash: (() => Promise<ArrayBuffer>)[];
        };
        await all[at]?.();
      }, n);
    await opened.goto("/releases/new");
    for (const [n, text] of ["first", "second"].entries()) {
      const file = { name: `${text}.bin`, mimeType: "application/octet-stream" };
      const image = { ...file, buffer: Buffer.from(text) };
      await opened.getByLabel("Firmware image").setInputFiles(image);
      await expect.poll(countHashes).toBe(n + 1);
    }
    const hash = createHash("sha256").update("second").digest("hex");
    const shownHash = () => opened.getByLabel("SHA-256").inputValue();
    await finishHash(1);
    await expect.poll(shownHash).toBe(hash);
    await finishHash(0);
    expect(await shownHash()).toBe(hash);

    for (const [label, value] of [
      ["Version", "9.9.9"],
      ["Target hardware", "board"],
      ["Signature (base64)", "AAAA"],
      ["Signing key", "demo"],
    ] as const) {
      await opened.getByLabel(label).fill(value);
    }
    const leave = () => opened.getByRole("link", { name: "Releases", exact: true }).click();
    opened.once("dialog", (dialog) => void dialog.dismiss());
    await leave();
    expect(await opened.getByLabel("Version").inputValue()).toBe("9.9.9");
    await opened.getByRole("button", { name: "Upload as draft" }).click();
    await expect.poll(() => held.length).toBe(1);
    opened.once("dialog", (dialog) => void dialog.accept());
    await leave();
    await opened.getByRole("heading", { level: 1, name: "Releases" }).waitFor();
    await held[0]?.fulfill({ status: 204 });
    await opened.getByText("Uploaded. Activate the release").waitFor();
    expect(new URL(opened.url()).pathname).toBe("/releases");
    await opened.close();
  });

  test("counts of a rollout that can't be refreshed are shown with their age, and new ones without a reload", async () => {
    // The list of ten devices begins with the fleet at a glance.
    for (let n = 2; n <= 10; n += 1) await register(`gw-${n}`);
    const opened = await page.context().newPage();
    opened.setDefaultTimeout(timeout);
    await opened.clock.install();
    let answers = true;
    await opened.route(/\/operator\/firmware\/releases/, (route) =>
      answers ? route.continue() : route.abort(),
    );
    const lastUpdate = opened.getByText(/^Last update: /);
    for (const [path, shown] of [
      ["/releases/1", "Pause rollout"],
      ["/", / · \d+ failed$/],
    ] as const) {
      await opened.goto(path);
      await opened.getByText(shown).waitFor();
      answers = false;
      await opened.clock.fastForward(30_000);
      await lastUpdate.waitFor();
      await opened.getByText(shown).waitFor();
      await expectAccessible(opened);
      answers = true;
      await opened.clock.fastForward(30_000);
      await lastUpdate.waitFor({ state: "detached" });
    }
    const paused = await page.request.patch("/api/v1/operator/firmware/releases/1", {
      ...{ data: { status: "paused" }, headers: { origin: site.url } },
    });
    expect(paused.status()).toBe(200);
    await opened.clock.fastForward(30_000);
    await opened.getByText("No release is being rolled out.").waitFor();
    await opened.close();
  });

  test("a second click on “Pause rollout” does not resume the release, and the focus stays", async () => {
    const path = "/api/v1/operator/firmware/releases/1";
    const readStatus = async () => {
      const response = await page.request.get(path);
      return ((await response.json()) as { release: { status: string } }).release.status;
    };
    const activate = async () => {
      const headers = { origin: site.url };
      const reply = await page.request.patch(path, { data: { status: "active" }, headers });
      expect(reply.status()).toBe(200);
    };
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const focused = page.locator(":focus");
    const question = page.getByRole("dialog", { name: "Resume 1.1.0?" });
    await activate();
    await page.goto("/releases/1");
    await button("Pause rollout").dblclick();
    await button("Resume").and(focused).waitFor();
    expect(await question.count()).toBe(0);
    expect(await readStatus()).toBe("paused");
    // A click that comes later than a double click, or after an automatic pause, finds the same button.
    await button("Resume").click();
    await question.waitFor();
    await expectAccessible(page);
    expect(await readStatus()).toBe("paused");
    await button("Resume rollout").click();
    await button("Pause rollout").and(focused).waitFor();
    expect(await readStatus()).toBe("active");

    // On the start view, the release stays where it was, so that no other one takes its place.
    await page.goto("/");
    const pause = button("Pause 1.1.0 for demo-thermometer");
    await pause.dblclick();
    await page.locator(".rollouts").getByText("paused", { exact: true }).waitFor();
    await pause.and(focused).and(page.locator("[aria-disabled=true]")).waitFor();
    expect(await readStatus()).toBe("paused");
  });
});
