import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { type Site, startSite } from "./start-site.js";
import { visit } from "./visit.js";

useCheapScrypt();

const timeout = 120_000;
const claimCode = "ABCD-EFGH-JKLM-NPQR";
const operators = "olga@example.com" as unknown as string[];
const commands = {
  relay: {
    ...{ title: "Switch the relay", sentBy: ["owner"] },
    payload: {
      type: "object",
      properties: {
        relay: { enum: ["pump", "fan"], title: "Relay" },
        minutes: { type: "integer", minimum: 1, maximum: 60, default: 5, title: "Minutes" },
      },
      required: ["relay", "minutes"],
    },
  },
  reboot: { title: "Restart", sentBy: ["owner", "operator"] },
  console: {
    ...{ title: "Use the console", sentBy: ["owner"] },
    payload: {
      type: "object",
      properties: { command: { enum: ["status", "uptime"], title: "Console command" } },
      required: ["command"],
    },
  },
};

describeInBrowser("alerts and commands in the browser", () => {
  let site: Site;
  let browser: Browser;
  let folder: string;
  let owner: Page;
  let operator: Page;
  let device: ReturnType<typeof createDeviceClient>;
  let token: string;

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true });
  const callAsDevice = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${site.url}/api/v1${path}`, init);
    expect(response.ok).toBe(true);
    return (await response.json()) as { commands: { commandId: string; name: string }[] };
  };
  /** Presses Tab until an element with this name has the focus, and then a key. */
  const tabTo = async (page: Page, name: string, key: string) => {
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: one } = document;
        const label = one instanceof HTMLInputElement || one instanceof HTMLSelectElement;
        return (
          one?.getAttribute("aria-label") ??
          (label ? one.labels?.[0]?.textContent : one?.textContent?.trim())
        );
      });
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      if ((await focused()) === name) return page.keyboard.press(key);
    }
    throw new Error(`The keyboard does not reach “${name}”.`);
  };

  beforeAll(async () => {
    const pageFolder = await buildPage();
    folder = await mkdtemp(join(tmpdir(), "device-gateway-commands-"));
    const file = join(folder, "commands.json");
    await writeFile(file, JSON.stringify(commands));
    const environment = {
      ...{ DEMO: false, OPERATOR_EMAILS: operators, COMMANDS_FILE: file },
      SUMMARY_METRICS: "soc" as unknown as string[],
    };
    [site, browser] = await Promise.all([startSite({ pageFolder, environment }), openBrowser()]);
    device = createDeviceClient({ baseUrl: site.url });
    const registration = {
      ...{ deviceId: "gw-1", hardwareId: "board-1", targetHardware: "board-1", claimCode },
      firmwareVersion: "1.0.0",
    };
    const { deviceSecret } = (await device.register(registration))._unsafeUnwrap();
    token = (await device.login({ deviceId: "gw-1", deviceSecret }))._unsafeUnwrap().token;
    const carol = createBrowser(site.url);
    owner = await openAccount(site, browser, carol, { email: "carol@example.com", timeout });
    expect((await carol.claim("gw-1", claimCode)).status).toBe(200);
    const olga = createBrowser(site.url);
    operator = await openAccount(site, browser, olga, { email: "olga@example.com", timeout });
    (await device.sendTelemetry({ soc: 50 }))._unsafeUnwrap();
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test("§8 an owner creates an alert rule on the device's page with the keyboard only", async () => {
    await owner.goto("/devices/gw-1/alerts");
    await owner.getByRole("heading", { name: "No rules yet" }).waitFor();
    await expectAccessible(owner);
    await tabTo(owner, "Create the first rule", "Enter");
    await owner.getByRole("heading", { name: "New alert rule" }).waitFor();
    await owner.getByLabel("Fires when").focus();
    await owner.keyboard.type("a value is too low");
    await owner.getByLabel("Metric").waitFor();
    await expectAccessible(owner);
    await tabTo(owner, "Metric", "s");
    await owner.keyboard.type("oc");
    await tabTo(owner, "Fires below", "2");
    await owner.keyboard.type("0");
    await tabTo(owner, "Name", "Control+A");
    await owner.keyboard.type("Battery low");
    await tabTo(owner, "Create rule", "Enter");
    await owner.getByText("soc below 20 · only gw-1").waitFor();
    await owner.getByRole("heading", { name: "No alert is firing" }).waitFor();
  });

  test("§8 an alert that fires is counted on every page, acknowledged, muted, and kept in the history", async () => {
    (await device.sendTelemetry({ soc: 12.125 }))._unsafeUnwrap();
    const expectFiring = async (alerts: number) => {
      const countFiring = async () => {
        const response = await owner.request.get("/api/v1/dashboard/alerts?scope=own");
        return ((await response.json()) as { alerts: object[] }).alerts.length;
      };
      await expect.poll(countFiring, { timeout }).toBe(alerts);
    };
    await expectFiring(1);
    // An open page asks once a minute, a new one at once.
    await owner.reload();
    await owner.getByText("1 alert is firing").waitFor();
    await owner.getByText("The value was 12.125.").waitFor();
    await visit(owner, "/alerts");
    await owner.getByRole("link", { name: "gw-1" }).waitFor();
    await tabTo(owner, "Acknowledge Battery low, gw-1", "Enter");
    await owner.getByText("acknowledged just now").waitFor();
    await owner.getByRole("listitem").getByRole("button", { name: "Mute" }).first().click();
    await owner.getByRole("heading", { name: "Mute “Battery low”?" }).waitFor();
    await button(owner, "1 week").click();
    await owner.getByRole("dialog").getByRole("button", { name: "Mute" }).click();
    await owner.getByText("· muted until").waitFor();
    await button(owner, "Unmute Battery low").click();
    await owner.getByText("· muted until").waitFor({ state: "detached" });
    (await device.sendTelemetry({ soc: 80 }))._unsafeUnwrap();
    await expectFiring(0);
    await button(owner, "Show cleared alerts").click();
    await owner.getByText("cleared", { exact: true }).waitFor();
    await expectAccessible(owner);
  });

  test("§8 a rule is changed and deleted", async () => {
    await button(owner, "Edit Battery low").click();
    expect(await owner.getByLabel("Fires below").inputValue()).toBe("20");
    await owner.getByLabel("Fires below").fill("-1013.5");
    await button(owner, "Save rule").click();
    await owner.getByText("soc below -1,013.5").waitFor();
    await button(owner, "Delete Battery low").click();
    await button(owner, "Delete rule").click();
    await owner.getByRole("heading", { name: "No rules yet" }).waitFor();
  });

  test("§7 lists, alert rules and their choice of metrics show display names and units", async () => {
    const metrics = `${site.url}/api/v1/operator/metrics?targetHardware=board-1`;
    const data = { soc: { displayName: "Charge", unit: "%", decimals: 1 } };
    const described = await operator.request.patch(metrics, {
      ...{ data, headers: { origin: site.url } },
    });
    expect(described.status()).toBe(200);
    // An open page shows a new description after a reload.
    await owner.goto("/");
    await owner.getByText("Charge 80.0 %").waitFor();
    await visit(owner, "/alerts");
    await button(owner, "Create the first rule").click();
    await owner.getByLabel("Fires when").selectOption("a value is too low");
    await owner.getByLabel("Metric", { exact: true }).selectOption("Charge · soc");
    await owner.getByLabel("Fires below (%)").fill("20");
    // A metric that no record has had lately.
    await owner.getByLabel("Metric", { exact: true }).selectOption("another metric…");
    await owner.getByLabel("Name of the metric").waitFor();
    await owner.getByLabel("Metric", { exact: true }).selectOption("Charge · soc");
    await button(owner, "Create rule").click();
    await owner.getByText("Charge below 20 % · all my devices").waitFor();
    await button(owner, "Delete Value too low").click();
    await button(owner, "Delete rule").click();
    await owner.getByRole("heading", { name: "No rules yet" }).waitFor();
  });

  test("§8 an operator manages the fleet's rules, and sees which apply to a device", async () => {
    // The list of devices is not loaded yet. The choice of hardware needs it.
    await operator.goto("/alerts");
    await button(operator, "Create the first rule").click();
    await operator.getByLabel("Intervals without a record").fill("10");
    await operator.getByLabel("Applies to").selectOption("only board-1");
    await button(operator, "Create rule").click();
    await operator.getByText("No record for 10 intervals · only board-1").waitFor();
    await button(operator, "New rule").click();
    await operator.getByLabel("Fires when").selectOption("a rollout halts");
    await button(operator, "Create rule").click();
    await operator.getByText("A rollout halted automatically").waitFor();
    await expectAccessible(operator);
    await button(operator, "My own").click();
    await operator.getByRole("heading", { name: "No rules yet" }).waitFor();
    await visit(operator, "/devices/gw-1/alerts");
    await operator.getByText("No record for 10 intervals").waitFor();
    expect(await operator.getByText("A rollout halted").count()).toBe(0);
  });

  test("§11 an owner sends a command with a form, sees the answer, and cancels one that waits", async () => {
    await visit(owner, "/devices/gw-1/commands");
    await owner.getByRole("heading", { name: "No commands sent yet" }).waitFor();
    await expectAccessible(owner);
    await owner.getByLabel("Relay", { exact: true }).selectOption("fan");
    await tabTo(owner, "Minutes", "Control+A");
    await owner.keyboard.type("7");
    await tabTo(owner, "Send command", "Enter");
    await owner.getByText("waiting for the gateway").waitFor();
    await owner.getByText("relay: fan, minutes: 7").waitFor();
    const [first] = (await callAsDevice("GET", "/device/commands")).commands;
    expect(first).toMatchObject({ name: "relay", payload: { relay: "fan", minutes: 7 } });
    await owner.getByText("delivered", { exact: true }).waitFor();
    const result = { status: "done", result: { switched: true }, message: "The fan runs." };
    await callAsDevice("POST", `/device/commands/${first?.commandId}/result`, result);
    await owner.getByText("The fan runs.").waitFor();
    await owner.getByText("switched: true").waitFor();
    await owner.getByLabel("Command", { exact: true }).selectOption("Restart");
    await button(owner, "Send command").click();
    await tabTo(owner, "Cancel Restart", "Enter");
    await owner.getByText("cancelled", { exact: true }).waitFor();
    await expectAccessible(owner);
  });

  test("a command whose response was lost is sent once, although the owner sends it again", async () => {
    const path = "/api/v1/dashboard/devices/gw-1/commands";
    const lost = owner.getByText("The server returned status 504. Try again.");
    const cancels = button(owner, "Cancel Restart");
    let isLost = true;
    await owner.route(`**${path}`, async (route) => {
      if (!isLost || route.request().method() !== "POST") return route.fallback();
      isLost = false;
      // The server stores the command, and a proxy reports that it got no response.
      await route.fetch();
      return route.fulfill({ status: 504, json: {} });
    });
    await button(owner, "Send command").click();
    await lost.waitFor();
    // The list shows the command that the server stored.
    await cancels.waitFor();
    await button(owner, "Send command").click();
    await lost.waitFor({ state: "detached" });
    const readSent = async () => {
      const response = await owner.request.get(path);
      const sent = (await response.json()) as { commands: { name: string; state: string }[] };
      return sent.commands.map(({ name, state }) => `${name} ${state}`);
    };
    expect(await readSent()).toEqual(["reboot pending", "reboot cancelled", "relay done"]);
    // After a success, the same command is a new one.
    await button(owner, "Send command").click();
    await expect.poll(() => cancels.count(), { timeout }).toBe(2);
    // If the stored command has ended, the owner's repetition is a new one too.
    isLost = true;
    await button(owner, "Send command").click();
    await expect.poll(() => cancels.count(), { timeout }).toBe(3);
    await cancels.first().click();
    await expect.poll(() => cancels.count(), { timeout }).toBe(2);
    await button(owner, "Send command").click();
    await expect.poll(() => cancels.count(), { timeout }).toBe(3);
    // If it has ended and the owner has not seen that, because the list could not be read and the owner looked at
    // another view, it is not sent twice.
    await owner.route(`**${path}?*`, (route) => route.abort());
    isLost = true;
    await button(owner, "Send command").click();
    await lost.waitFor();
    for (const { commandId } of (await callAsDevice("GET", "/device/commands")).commands) {
      await callAsDevice("POST", `/device/commands/${commandId}/result`, { status: "done" });
    }
    await visit(owner, "/devices/gw-1");
    await visit(owner, "/devices/gw-1/commands");
    await owner.getByLabel("Command", { exact: true }).selectOption("Restart");
    await button(owner, "Send command").click();
    await owner.getByText("This command was already sent, so it was not sent again.").waitFor();
    expect(await readSent()).not.toContain("reboot pending");
    await owner.unroute(`**${path}?*`);
    await button(owner, "Send command").click();
    await expect.poll(() => cancels.count(), { timeout }).toBe(1);
    await owner.unroute(`**${path}`);
  });

  test("a field of a command's form may be named “command”", async () => {
    await owner.getByLabel("Command", { exact: true }).selectOption("Use the console");
    await owner.getByLabel("Console command").selectOption("uptime");
    await button(owner, "Send command").click();
    await owner.getByText("command: uptime", { exact: true }).waitFor();
  });

  test("§11 only commands that the user may send are offered", async () => {
    await visit(operator, "/devices/gw-1/commands");
    await operator.getByText("The fan runs.").waitFor();
    const options = operator.getByLabel("Command", { exact: true }).getByRole("option");
    expect(await options.allTextContents()).toEqual(["Restart"]);
  });
});
