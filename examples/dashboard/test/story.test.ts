import { sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDemoImage } from "../../server/src/demo/publish-demo-firmware.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { type BuiltPage, buildPage } from "./build-page.js";
import { findAccessibilityProblems, findLayoutShifts, watchLayoutShifts } from "./page-checks.js";
import { openBrowser } from "./open-browser.js";
import { readQrCode } from "./read-qr-code.js";
import { type Site, startSite } from "./start-site.js";

const polling = { timeout: 25_000, interval: 100 };

describeInBrowser("the owner's story, in a real browser", () => {
  let built: BuiltPage;
  let site: Site;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    built = await buildPage();
    [site, browser] = await Promise.all([
      startSite({
        ...{ pageFolder: built.folder, publish: false, manualWait: true },
        // A month is enough to see, and half of the work.
        environment: { DG_RETENTION_TELEMETRY_DAYS: 32 },
      }),
      openBrowser(),
    ]);
    page = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    page.setDefaultTimeout(polling.timeout);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      // Refusals are part of the story; what the policy blocks or a script throws is not.
      const refusal = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !refusal) complaints.push(message.text());
    });
    await watchLayoutShifts(page);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await built?.remove();
  });

  /** Until it shows, the demo gateway goes on: to its next record, over its restart. */
  const goesOnUntil = (shown: () => Promise<boolean>) =>
    expect
      .poll(async () => {
        site.demoWait.finish();
        return shown();
      }, polling)
      .toBe(true);
  /** Its owner sees a gateway online once it was heard of as theirs. */
  const isLive = () => goesOnUntil(() => page.getByText("Live", { exact: true }).isVisible());
  const looksRight = async () => {
    expect(await findAccessibilityProblems(page)).toEqual([]);
    expect(await findLayoutShifts(page)).toEqual([]);
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const heading = (name: string) => page.getByRole("heading", { name, exact: true, level: 1 });
  const openTab = (name: string) =>
    page.getByRole("navigation", { name: "Device" }).getByRole("link", { name }).click();

  /** What the gateway writes down when it has registered: its label, and its secret. */
  const readLabel = async () => {
    const text = await readFile(join(site.dataDir, "demo-gateway.json"), "utf8");
    return JSON.parse(text) as { claimCode: string; deviceSecret?: string };
  };

  test("without its link the demo stays closed, and the page says where to find the link", async () => {
    await page.goto("/");
    await page.getByText("it ends with #demo=…").waitFor();
    expect(await button("Open the demo").isVisible()).toBe(false);
    await looksRight();
  });

  test("a link on the label survives signing up", async () => {
    await expect
      .poll(async () => (await readLabel().catch(() => undefined))?.deviceSecret, polling)
      .toBeDefined();
    const label = await readLabel();
    await page.goto(`/claim?device=demo-gateway&code=${label.claimCode}`);
    await heading("Sign in to claim your gateway").waitFor();
    await looksRight();
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Name").fill("Ann");
    await page.getByLabel("E-mail").fill("ann@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await looksRight();
    await button("Create account").click();
    await heading("Claim a gateway").waitFor();
    expect(await page.getByLabel("Claim code").inputValue()).toBe(label.claimCode);
  }, 60_000);

  const mailedLink = () => /https?:\S+/.exec(site.mails[0]?.text ?? "")?.[0] ?? "";
  /** Goes on with the Tab key until a field has the focus. */
  const tabTo = async (label: string) => {
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press("Tab");
      const focused = page.getByLabel(label).and(page.locator(":focus"));
      if ((await focused.count()) > 0) return;
    }
    throw new Error(`The Tab key does not reach ${label}`);
  };

  test("§3 nobody claims before the address is verified; the mailed link asks for the password", async () => {
    await button("Claim this gateway").click();
    await page.getByText("Your e-mail address is not verified.").waitFor();
    await looksRight();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(mailedLink());
    await heading("Verify your e-mail address").waitFor();
    await looksRight();
    // By keyboard alone.
    await tabTo("Password");
    await page.keyboard.type("wrong horse battery");
    await page.keyboard.press("Enter");
    await page.getByText("The password is wrong.").waitFor();
    await looksRight();
    await page.getByLabel("Password").press("ControlOrMeta+a");
    await page.keyboard.type("correct horse battery");
    await page.keyboard.press("Enter");
    await heading("Claim a gateway").waitFor();
    const token = /token=([^&]+)/.exec(mailedLink())?.[1] ?? "no token";
    expect(asked.filter((url) => new URL(url).href.split("#")[0]?.includes(token))).toEqual([]);
    await button("Claim this gateway").click();
    await heading("demo-gateway").waitFor();
  });

  test("readings arrive live, without a reload", async () => {
    await isLive();
    const value = page.locator(".chart-value span").first();
    await value.waitFor();
    await page.locator(".plot canvas").first().waitFor();
    const when = await page.locator(".card .small.muted").first().textContent();
    await looksRight();
    const stream = page.waitForResponse((response) =>
      response.url().includes("/telemetry/history"),
    );
    await button("Month").click();
    expect((await stream).status()).toBe(200);
    await page.getByText("in a band from lowest to highest").waitFor();
    const before = await value.textContent();
    await goesOnUntil(async () => (await value.textContent()) !== before);
    expect(when).not.toBe("");
    await looksRight();
  }, 60_000);

  test("a record without metrics leaves the charts where they are", async () => {
    const device = createDeviceClient({ baseUrl: site.url });
    const { deviceSecret = "" } = await readLabel();
    (await device.login({ deviceId: "demo-gateway", deviceSecret }))._unsafeUnwrap();
    (await device.sendTelemetry({ note: "nothing measured" }))._unsafeUnwrap();
    await page.getByText("nothing measured").waitFor();
    await page.getByRole("figure", { name: /^temperature: \d+ points/ }).waitFor();
    await page.locator(".plot canvas").waitFor();
    await looksRight();
  });

  test("§8 the gateway takes up another configuration; a conflict is shown", async () => {
    await openTab("Settings");
    await page.getByLabel("Seconds between records").waitFor();
    await looksRight();
    // Somebody else was faster.
    const config = `${site.url}/api/v1/dashboard/devices/demo-gateway/config`;
    const others = await page.request.put(config, {
      data: { telemetryIntervalSeconds: 30 },
      headers: { origin: site.url },
    });
    expect(others.status()).toBe(200);
    await page.getByLabel("Seconds between records").fill("11");
    await button("Save configuration").click();
    await page.getByText("telemetryIntervalSeconds: now 30, yours 11").waitFor();
    await looksRight();
    await button("Save mine over it").click();
    await page.getByText("Saved. The gateway takes it up with its next record.").waitFor();
    await expect
      .poll(() => page.getByLabel("Seconds between records").inputValue(), polling)
      .toBe("11");
    await goesOnUntil(async () => site.demoWait.latestMs === 11_000);
    await page.getByLabel("What you call it").fill("Boiler room");
    await button("Save name").click();
    await heading("Boiler room").waitFor();
  });

  test("§8 an operator publishes by upload, and activates", async () => {
    const operator = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    operator.setDefaultTimeout(polling.timeout);
    // Another browser, the same link.
    await operator.goto(site.demoUrl);
    await operator.getByRole("button", { name: "Open the demo" }).click();
    await operator.getByRole("heading", { level: 1, name: "Boiler room" }).waitFor();
    await operator.goto("/releases");
    await operator.getByRole("link", { name: "Publish a release" }).click();
    const image = {
      name: "demo.bin",
      mimeType: "application/octet-stream",
      buffer: createDemoImage(),
    };
    await operator.getByLabel("Firmware image").setInputFiles(image);
    await operator.getByLabel("Version").fill("1.1.0");
    await operator.getByLabel("Target hardware").fill("demo-thermometer");
    const command = (await operator.locator(".command-line").textContent()) ?? "";
    const lines = /'([^']*)'/.exec(command)?.[1] ?? "";
    expect(lines).toMatch(/^1\.1\.0\ndemo-thermometer\n[^\n]+Z\n[0-9a-f]{64}$/);
    if (site.key === null) throw new Error("The demo has no key");
    const signature = sign("sha256", Buffer.from(lines), site.key.privateKey).toString("base64");
    await operator.getByLabel("Signature, in base64").fill(signature);
    await operator.getByLabel("Signing key").fill("demo");
    await operator.getByLabel("Share of devices, in percent").fill("100");
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    await operator.getByRole("button", { name: "Upload as a draft" }).click();
    await operator.getByRole("button", { name: "Activate" }).click();
    await operator.getByRole("button", { name: "Halt the rollout" }).waitFor();
    await operator.getByLabel("Device id").fill("demo-gateway");
    await operator.getByRole("button", { name: "Ask" }).click();
    await operator.getByText("It is offered this release.").waitFor();
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    // Held at another version it is not, until the pin goes.
    const save = operator.getByRole("button", { name: "Save", exact: true });
    await operator.goto("/devices/demo-gateway/settings");
    await operator.getByLabel("Pinned to version").fill("1.0.5");
    await save.click();
    await operator.getByText("It is pinned to 1.0.5.").waitFor();
    expect(await findAccessibilityProblems(operator)).toEqual([]);
    await operator.reload();
    expect(await operator.getByLabel("Pinned to version").inputValue()).toBe("1.0.5");
    await operator.getByLabel("Pinned to version").fill("");
    await save.click();
    await operator.getByText("It follows the channel stable.").waitFor();
    await operator.close();
  }, 90_000);

  test("§8 update now: the gateway installs it, and the timeline tells how", async () => {
    await openTab("Firmware");
    await page.getByText("1.1.0 ready").first().waitFor();
    await looksRight();
    await button("Update now").click();
    const updated = page.locator(".timeline li.good").getByText("Updated").first();
    await goesOnUntil(() => updated.isVisible());
    await page.getByText("up to date").first().waitFor();
    await looksRight();
  }, 120_000);

  test("released, it is gone from the list", async () => {
    await page.goto("/devices/demo-gateway/settings");
    await button("Release this device").click();
    await looksRight();
    await button("Release it").click();
    await page.getByText("No gateways yet").waitFor();
    await looksRight();
    // The label is the demo's, which opens with its link. In an open tab only the fragment changes.
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
    // Whoever is quick comes before the gateway has registered.
    let early = 3;
    await page.route("**/api/site", async (route) => {
      const answer = await route.fetch();
      const site = await answer.json();
      const shown =
        early-- > 0 ? { ...site, demo: site.demo && { ...site.demo, label: null } } : site;
      await route.fulfill({ response: answer, json: shown });
    });
    await button("Open the demo").click();
    await heading("Claim a gateway").waitFor();
    await page.unroute("**/api/site");
    await button("Claim this gateway").click();
    await isLive();
    for (const [path, ready] of [
      ["/", "demo-gateway"],
      ["/releases", "demo-thermometer"],
      ["/releases/new", "Fill in the image first"],
      ["/releases/1", "1 device was offered it."],
      ["/audit", "device.claimed"],
      ["/devices/demo-gateway/firmware", "runs it"],
      ["/demo/mails", "Verify your e-mail address"],
      ["/nowhere", "There is no such page"],
    ] as const) {
      await page.goto(path);
      await page.getByText(ready).first().waitFor();
      expect([path, await findAccessibilityProblems(page), await findLayoutShifts(page)]).toEqual([path, [], []]);
    }
  }, 60_000);

  test("a link that was used says so, and sends a new one to whoever needs it", async () => {
    const link = mailedLink();
    const other = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    other.setDefaultTimeout(polling.timeout);
    await other.goto(link);
    await other.getByLabel("Password").fill("correct horse battery");
    await other.getByRole("button", { name: "Verify address" }).click();
    const title = { level: 1, name: "This link can't be used any more" };
    await other
      .getByRole("heading", { ...title })
      .and(other.locator(":focus"))
      .waitFor();
    expect(await findAccessibilityProblems(other)).toEqual([]);
    expect(await other.getByLabel("E-mail of your account").inputValue()).toBe("ann@example.com");
    await other.getByRole("button", { name: "Send a new link" }).click();
    await other.getByText("a mail with a new link is on its way").waitFor();
    expect(await findAccessibilityProblems(other)).toEqual([]);
    await other.close();
  });

  test("a new password by the mailed link verifies the address too", async () => {
    const other = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    other.setDefaultTimeout(polling.timeout);
    await other.goto("/sign-up");
    await other.getByLabel("Name").fill("Somebody else");
    await other.getByLabel("E-mail").fill("bob@example.com");
    await other.getByLabel("Password").fill("somebody else's words");
    await other.getByRole("button", { name: "Create account" }).click();
    await other.getByText("Verify your e-mail address.").waitFor();
    await other.goto("/forgot-password");
    await other.getByLabel("E-mail of your account").fill("bob@example.com");
    await other.getByRole("button", { name: "Send me a link" }).click();
    await other.getByText("a mail with a link is on its way").waitFor();
    const mail = site.mails.findLast(({ to }) => to === "bob@example.com");
    await other.goto(/https?:\S+/.exec(mail?.text ?? "")?.[0] ?? "");
    await other.getByLabel("New password").fill("words of his own");
    expect(await findAccessibilityProblems(other)).toEqual([]);
    await other.getByRole("button", { name: "Change password" }).click();
    await other.getByText("Your password is changed.").waitFor();
    await other.getByLabel("E-mail").fill("bob@example.com");
    await other.getByLabel("Password").fill("words of his own");
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    // The name that was chosen before is gone; nothing is left to verify.
    await other.getByText("bob@example.com", { exact: true }).first().waitFor();
    expect(await other.getByText("Verify your e-mail address.").count()).toBe(0);
    await other.close();
  });

  test("nothing complained: no script failed, and nothing went against the page's policy", () => {
    expect(complaints).toEqual([]);
  });
});
