/** How the device list does with many devices: `pnpm fleet [devices]`. */
import { openBrowser } from "../open-browser.js";
import { startSite } from "../start-site.js";
import { fillFleet } from "./fill-fleet.js";

const devices = Number(process.argv[2] ?? 10_000);
const rounds = 20;

const site = await startSite();
const browser = await openBrowser();
const page = await browser.newPage({ baseURL: site.url, viewport: { width: 1280, height: 820 } });
await page.goto("/sign-in");
await page.getByRole("button", { name: "Open the demo" }).click();
await page.getByRole("button", { name: "Claim this gateway" }).click();
await page.getByText("Live", { exact: true }).waitFor();
fillFleet(site.dataDir, "demo-gateway", devices);

const rows = page.locator("tbody tr .name a");
const shown = page.locator(".pager [role=status]");
const ms = (value: number) => `${Math.round(value)} ms`;
const report: [string, string][] = [];

const whole = `of ${(devices + 1).toLocaleString("en-US")}`;
const started = performance.now();
await page.goto("/");
await rows.first().waitFor();
report.push(["opening the page until the first 50 devices", ms(performance.now() - started)]);
await page.getByText(whole).waitFor();
await page.getByText("loading the rest").waitFor({ state: "detached" });
report.push(["until all are there to search", ms(performance.now() - started)]);

/** From the event to the frame that shows what it leads to, in the page itself. */
const timeInPage = (act: string) =>
  page.evaluate(async (code) => {
    const begin = performance.now();
    // biome-ignore lint/security/noGlobalEval: the page under test has no policy against a debugger.
    await globalThis.eval(`(async () => { ${code} })()`);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begin;
  }, act);
const type = (text: string) =>
  timeInPage(`const box = document.querySelector("input[type=search]");
    box.value = ${JSON.stringify(text)};
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));`);
const press = (name: string) =>
  timeInPage(`[...document.querySelectorAll("button")]
    .find((button) => button.textContent.startsWith(${JSON.stringify(name)})).click();`);

async function measure(what: string, act: (round: number) => Promise<number>) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await act(round));
  times.sort((a, b) => a - b);
  const median = times[Math.floor(rounds / 2)] ?? 0;
  report.push([what, `${ms(median)} (worst ${ms(times.at(-1) ?? 0)})`]);
}
await measure("a search, from the key to its rows", (round) =>
  type(round % 2 === 0 ? `pump ${round}` : "gw-0"),
);
await type("");
await measure("turning a page", () => press("Next"));
await measure("another filter", (round) => press(round % 2 === 0 ? "Offline" : "All"));
report.push(["what is shown in the end", (await shown.textContent()) ?? ""]);

const width = Math.max(...report.map(([what]) => what.length));
console.log(`${devices} devices of one account`);
for (const [what, figure] of report) console.log(`  ${what.padEnd(width)}  ${figure}`);
await browser.close();
await site.stop();
