import type { Page } from "playwright-core";
import type { Site } from "../start-site.js";
import { addBattery } from "./add-battery.js";
import type { Receiver } from "./start-receiver.js";

interface SceneContext {
  readonly site: Site;
  readonly receiver: Receiver;
  /** Whether an earlier variant has changed the data. */
  readonly prepared: boolean;
  readonly variant: string;
}
type Scene = (page: Page, stage: SceneContext) => Promise<void>;

const demoPath = "/devices/demo-gateway";
const batteryPath = "/devices/battery-1";
const waitUntilLoaded = (page: Page) =>
  page.locator("[aria-busy=true], .skeleton").first().waitFor({ state: "detached" });

/** Returns a scene that opens a page and waits until its content is loaded. */
const visit =
  (path: string, ready: string): Scene =>
  async (page) => {
    await page.goto(path);
    await page.getByText(ready).first().waitFor();
    await waitUntilLoaded(page);
  };

/** Every page, in the order in which a new user sees them. */
export const scenes: Readonly<Record<string, Scene>> = {
  "sign-in": async (page, { site }) => {
    await page.goto(site.demoUrl);
    await page.getByRole("button", { name: "Open the demo" }).waitFor();
  },
  "sign-up": visit("/sign-up", "Create an account"),
  "forgot-password": visit("/forgot-password", "Send reset link"),
  "verify-email": visit("/verify-email#email=ann%40example.com&token=x", "Verify address"),
  "verify-email-used": async (page) => {
    await page.goto("/verify-email#email=ann%40example.com&token=x");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Verify address" }).click();
    await page.getByText("Send a new link").waitFor();
  },
  "reset-password": visit("/reset-password#token=x", "Change password"),
  "claim-signed-out": visit("/claim?device=demo-gateway&code=ABCD-EFGH", "Sign in to claim"),
  "first-visit": async (page, { variant }) => {
    await page.goto("/sign-up");
    await page.getByLabel("Name").fill("Ann");
    await page.getByLabel("E-mail").fill(`${variant}@example.com`);
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("No gateways yet").waitFor();
    await page.getByAltText("QR code of the claim link").waitFor();
  },
  account: visit("/account", "Delete this account"),
  "alerts-none": visit("/alerts", "No rules yet"),
  "webhooks-none": visit("/webhooks", "No webhooks yet"),
  mails: visit("/demo/mails", "Verify your e-mail address"),
  claim: async (page, { prepared }) => {
    await page.context().clearCookies();
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Open the demo" }).click();
    const heading = prepared ? "demo-gateway" : "Claim a gateway";
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    if (prepared) await page.goto("/claim?device=my-gateway&code=ABCD-EFGH");
  },
  "device-overview": async (page, { prepared }) => {
    if (prepared) await page.goto(demoPath);
    else await page.getByRole("button", { name: "Claim this gateway" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator(".plot canvas").waitFor();
    await waitUntilLoaded(page);
  },
  "device-month": async (page) => {
    await page.getByRole("button", { name: "Month" }).click();
    await page.getByText("Average of").waitFor();
    await page.locator(".toast.shown").waitFor({ state: "detached" });
  },
  "device-settings": visit(`${demoPath}/settings`, "Revoke this device"),
  "device-release": async (page) => {
    await page.getByRole("button", { name: "Release this device" }).click();
    await page.getByRole("button", { name: "Release device" }).waitFor();
  },
  "device-firmware": async (page) => {
    await page.goto(`${demoPath}/firmware`);
    await page.locator(".timeline li.good").first().waitFor({ timeout: 90_000 });
    await page.getByText("installed").first().waitFor();
    await waitUntilLoaded(page);
  },
  "server-gone": async (page) => {
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.goto("/");
    await page.getByText("The server can't be reached.").waitFor();
    await page.unroute("**/api/v1/**");
  },
  "config-conflict": async (page, { site, variant }) => {
    await page.goto(`${demoPath}/settings`);
    const interval = page.getByLabel("Seconds between records");
    // It is never saved, and differs from what any variant saves below: an unchanged value is no conflict.
    await interval.fill("45");
    const data = { telemetryIntervalSeconds: 10 + variant.length };
    const config = "/api/v1/dashboard/devices/demo-gateway/config";
    await page.request.put(config, { data, headers: { origin: site.url } });
    await page.getByRole("button", { name: "Save configuration" }).click();
    await page.getByText("Someone else changed the configuration.").waitFor();
  },
  "device-records": async (page) => {
    await page.goto(`${demoPath}?range=1h`);
    await page.getByText("Raw records with their time of receipt").click();
    await page.getByRole("region", { name: "Raw records" }).waitFor();
  },
  battery: async (page, { site, receiver, prepared }) => {
    if (!prepared) await addBattery(page, site, receiver);
    await page.goto(`${batteryPath}?range=24h`);
    await page.getByRole("button", { name: /^Cell \* / }).click();
    await page.getByRole("figure", { name: /^16 metrics in one chart/ }).waitFor();
  },
  "device-alerts": visit(`${batteryPath}/alerts`, "Battery nearly empty"),
  "alert-rule": async (page) => {
    await page.goto(`${batteryPath}/alerts`);
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByLabel("Fires when").selectOption("a value is too high");
    await page.getByLabel("Fires above").waitFor();
  },
  "device-commands": visit(`${demoPath}/commands`, "command"),
  alerts: visit("/alerts", "The value was 18.5"),
  "alerts-cleared": async (page) => {
    await page.getByRole("button", { name: "Show cleared alerts" }).click();
    await page.getByText("cleared", { exact: true }).first().waitFor();
  },
  webhooks: visit("/webhooks", "failing since"),
  "webhook-new": async (page) => {
    await page.getByRole("button", { name: "New webhook" }).click();
    await page.getByLabel("URL").waitFor();
  },
  webhook: async (page, { receiver }) => {
    await page.goto("/webhooks");
    await page.getByRole("link", { name: receiver.goodUrl }).click();
    await page.getByText("arrived, 204").first().waitFor();
    await waitUntilLoaded(page);
  },
  "webhook-failing": async (page, { receiver }) => {
    await page.goto("/webhooks");
    await page.getByRole("link", { name: receiver.badUrl }).click();
    await page.getByText("Response").first().click();
    await page.getByRole("heading", { name: "Waiting messages" }).waitFor();
    await page.getByRole("button", { name: /^Send again: / }).waitFor();
  },
  releases: visit("/releases", "demo-thermometer"),
  release: async (page) => {
    await page.goto("/releases");
    await page.getByRole("link", { name: "1.1.0", exact: true }).click();
    await page.getByLabel("Device ID").fill("demo-gateway");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("This device is not offered this release").waitFor();
  },
  publish: visit("/releases/new", "Upload as draft"),
  "menu-open": async (page) => {
    await page.goto("/");
    await page.getByText("Demo", { exact: true }).click();
    await page.getByText("Signed in as").waitFor();
  },
  devices: visit("/", "demo-gateway"),
  compare: visit("/compare?device=battery-1&device=demo-gateway", "Trends"),
  connect: visit("/connect", "Register it and send a record"),
  "nothing-found": visit("/?q=xyz", "No matching devices"),
  audit: visit("/audit", "registered"),
  "not-found": visit("/nowhere", "Page not found"),
  "unknown-device": visit("/devices/unknown", "Device not found"),
};
