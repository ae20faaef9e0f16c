/** Takes the pictures in docs: `pnpm dashboard pictures`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDeviceClient } from "@device-gateway/device-client";
import { fillFleet } from "../fleet/fill-fleet.js";
import { openBrowser } from "../open-browser.js";
import { startSite } from "../start-site.js";
import { batteryMetrics, makeBatteryRecords } from "./battery.js";

const docs = fileURLToPath(new URL("../../../../docs", import.meta.url));
const site = await startSite();
const browser = await openBrowser();
const page = await browser.newPage({
  ...{ baseURL: site.url, colorScheme: "dark", reducedMotion: "reduce" },
  viewport: { width: 1280, height: 820 },
});
const button = (name: string) => page.getByRole("button", { name, exact: true });
const take = async (name: string) => {
  await page.locator(".toast.shown").waitFor({ state: "detached" });
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(docs, name) });
  console.log(join(docs, name));
};

page.setDefaultTimeout(300_000);
await page.goto(site.demoUrl);
// The label is shown once the demo gateway has registered.
await page.waitForFunction(async () => {
  const headers = { "x-demo-token": localStorage.getItem("demo-token") ?? "" };
  const response = await fetch("/api/site", { headers });
  return ((await response.json()) as { demo: { label?: object | null } }).demo.label != null;
});
await button("Open the demo").click();
await button("Claim this gateway").click();
await page.getByText("Live", { exact: true }).waitFor();
await page.locator(".plot canvas").waitFor();
await page.locator("[aria-busy=true], .skeleton").first().waitFor({ state: "detached" });
await button("Month").click();
await page.getByText("Average of").waitFor();
await take("dashboard.png");

// A battery with 16 cells, described by the operator.
const battery = createDeviceClient({ baseUrl: site.url });
const label = { deviceId: "battery-1", claimCode: "7K2M-9QXT-4HNB-W5RD" };
const hardware = { hardwareId: "bms:v2", targetHardware: "bms", firmwareVersion: "2.3.0" };
const registered = (await battery.register({ ...label, ...hardware }))._unsafeUnwrap();
const { deviceId } = label;
await page.goto(`/claim?device=${deviceId}&code=${label.claimCode}`);
await button("Claim this gateway").click();
await page.getByText("No readings yet").waitFor();
const { deviceSecret } = registered;
(await battery.login({ deviceId, deviceSecret }))._unsafeUnwrap();
(await battery.sendTelemetry(makeBatteryRecords(Date.now())))._unsafeUnwrap();
const described = await page.request.patch("/api/v1/operator/metrics?targetHardware=bms", {
  ...{ data: batteryMetrics, headers: { origin: site.url } },
});
if (!described.ok()) throw new Error(await described.text());
await page.goto(`/devices/${deviceId}?range=24h`);
await page.getByRole("button", { name: /^Cell \* / }).click();
await page.getByRole("figure", { name: /^16 metrics in one chart/ }).waitFor();
await page.locator(".plot canvas").waitFor();
await take("dashboard-battery.png");

fillFleet(site.dataDir, "demo-gateway", 5_000);
await page.emulateMedia({ colorScheme: "light" });
await page.goto("/");
await page.getByText("5,002 devices").waitFor();
await take("dashboard-fleet.png");

await browser.close();
await site.stop();
