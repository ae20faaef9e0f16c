import type { Page } from "playwright-core";
import type { Site } from "../start-site.js";

interface SceneContext {
  readonly site: Site;
  /** Whether an earlier look has done what changes the data. */
  readonly prepared: boolean;
  readonly look: string;
}
type Scene = (page: Page, stage: SceneContext) => Promise<void>;

const demoPath = "/devices/demo-gateway";
const waitUntilLoaded = (page: Page) =>
  page.locator("[aria-busy=true], .skeleton").first().waitFor({ state: "detached" });

/** Goes to a page and waits until it has what it shows. */
const visit =
  (path: string, ready: string): Scene =>
  async (page) => {
    await page.goto(path);
    await page.getByText(ready).first().waitFor();
    await waitUntilLoaded(page);
  };

/** Every page, in the order in which somebody new sees them. */
export const scenes: Readonly<Record<string, Scene>> = {
  "sign-in": async (page, { site }) => {
    await page.goto(site.demoUrl);
    await page.getByRole("button", { name: "Open the demo" }).waitFor();
  },
  "sign-up": visit("/sign-up", "Create an account"),
  "forgot-password": visit("/forgot-password", "Send me a link"),
  "verify-email": visit("/verify-email#email=ann%40example.com&token=x", "Verify address"),
  "verify-email-used": async (page) => {
    await page.goto("/verify-email#email=ann%40example.com&token=x");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Verify address" }).click();
    await page.getByText("Send a new link").waitFor();
  },
  "reset-password": visit("/reset-password#token=x", "Change password"),
  "claim-signed-out": visit("/claim?device=demo-gateway&code=ABCD-EFGH", "Sign in to claim"),
  "first-visit": async (page, { look }) => {
    await page.goto("/sign-up");
    await page.getByLabel("Name").fill("Ann");
    await page.getByLabel("E-mail").fill(`${look}@example.com`);
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("No gateways yet").waitFor();
    await page.getByAltText("QR code of the claim link").waitFor();
  },
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
    await page.getByText("in a band").waitFor();
    await page.locator(".toast.shown").waitFor({ state: "detached" });
  },
  "device-settings": visit(`${demoPath}/settings`, "Revoke this device"),
  "device-release": async (page) => {
    await page.getByRole("button", { name: "Release this device" }).click();
    await page.getByRole("button", { name: "Release it" }).waitFor();
  },
  "device-firmware": async (page) => {
    await page.goto(`${demoPath}/firmware`);
    await page.locator(".timeline li.good").first().waitFor({ timeout: 90_000 });
    await page.getByText("runs it").first().waitFor();
    await waitUntilLoaded(page);
  },
  "server-gone": async (page) => {
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.goto("/");
    await page.getByText("The server can't be reached.").waitFor();
    await page.unroute("**/api/v1/**");
  },
  "config-conflict": async (page, { site, look }) => {
    await page.goto(`${demoPath}/settings`);
    const interval = page.getByLabel("Seconds between records");
    await interval.fill("20");
    // Another one for each look: what stays the same is no conflict.
    const data = { telemetryIntervalSeconds: 10 + look.length };
    const config = "/api/v1/dashboard/devices/demo-gateway/config";
    await page.request.put(config, { data, headers: { origin: site.url } });
    await page.getByRole("button", { name: "Save configuration" }).click();
    await page.getByText("It was changed elsewhere meanwhile.").waitFor();
  },
  releases: visit("/releases", "demo-thermometer"),
  release: async (page) => {
    await page.goto("/releases");
    await page.getByRole("link", { name: "1.1.0", exact: true }).click();
    await page.getByLabel("Device id").fill("demo-gateway");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("It is not offered this release").waitFor();
  },
  publish: visit("/releases/new", "Upload as a draft"),
  "menu-open": async (page) => {
    await page.goto("/");
    await page.getByText("Demo", { exact: true }).click();
    await page.getByText("Signed in as").waitFor();
  },
  devices: visit("/", "demo-gateway"),
  "nothing-found": visit("/?q=xyz", "Nothing fits"),
  audit: visit("/audit", "registered"),
  "not-found": visit("/nowhere", "There is no such page"),
  "unknown-device": visit("/devices/unknown", "You have no such device"),
};
