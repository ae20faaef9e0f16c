/** Measures the device list with many devices: `pnpm dashboard fleet [devices]`. */
import { openBrowser } from "../open-browser.js";
import { startSite } from "../start-site.js";
import { fillFleet } from "./fill-fleet.js";
import { watchCosts } from "./watch-costs.js";

const devices = Number(process.argv[2] ?? 10_000);
const rounds = 20;

const site = await startSite();
const browser = await openBrowser();
const page = await browser.newPage({ baseURL: site.url, viewport: { width: 1280, height: 820 } });
await page.goto(site.demoUrl);
await page.getByRole("button", { name: "Open the demo" }).click();
await page.getByRole("button", { name: "Claim this gateway" }).click();
await page.getByText("Live", { exact: true }).waitFor();
fillFleet(site.dataDir, "demo-gateway", devices);

const rows = page.locator("tbody tr .name a");
const shown = page.locator(".pager");
const ms = (value: number) => `${Math.round(value)} ms`;
const report: [string, string][] = [];

const spent = await watchCosts(page);
const costs: [string, string][] = [];
/** Measures CPU time and requests, which hardly depend on the machine's other load. */
async function costOf(label: string, times: number, act: () => Promise<unknown>) {
  const before = await spent();
  await act();
  const after = await spent();
  const each = (name: keyof typeof after) => (after[name] - before[name]) / times;
  costs.push([
    label,
    `${each("requests").toFixed(times > 1 ? 1 : 0)} requests, ${ms(each("serverMs"))} of server CPU, ${ms(each("pageMs"))} of page CPU`,
  ]);
}

const whole = `${(devices + 1).toLocaleString("en-US")} devices`;
await page.addInitScript(() => {
  new MutationObserver((_, observer) => {
    if (document.querySelector("tbody tr .name a") === null) return;
    observer.disconnect();
    const asked = performance.getEntriesByType("resource");
    const lists = asked.filter(({ name }) => name.includes("/api/v1/dashboard/devices"));
    Object.assign(globalThis, { firstRows: { at: performance.now(), lists: lists.length } });
  }).observe(document, { childList: true, subtree: true });
});
await page.goto("about:blank");
const started = performance.now();
await costOf("opening the page until all devices are loaded", 1, async () => {
  await page.goto("/");
  await rows.first().waitFor();
  const { at, lists } = await page.evaluate(
    () => (globalThis as unknown as { firstRows: { at: number; lists: number } }).firstRows,
  );
  report.push([
    "opening the page until the first devices are shown",
    `${ms(at)}, after ${lists} requests`,
  ]);
  await page.getByText(whole).waitFor();
  await page.getByText("Loading more").waitFor({ state: "detached" });
  report.push([
    "opening the page until all devices can be searched",
    ms(performance.now() - started),
  ]);
});

/** Measures, inside the page, the time from an event to the frame that shows its result. */
const timeInPage = (act: string) =>
  page.evaluate(async (code) => {
    const begin = performance.now();
    // biome-ignore lint/security/noGlobalEval: scripts of the debugger are exempt from the page's policy.
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

async function measure(label: string, act: (round: number) => Promise<number>) {
  const times: number[] = [];
  await costOf(label, rounds, async () => {
    for (let round = 0; round < rounds; round++) times.push(await act(round));
  });
  times.sort((a, b) => a - b);
  const median = times[Math.floor(rounds / 2)] ?? 0;
  report.push([label, `${ms(median)} (worst ${ms(times.at(-1) ?? 0)})`]);
}
await measure("a search", (round) => type(round % 2 === 0 ? `pump ${round}` : "gw-0"));
await type("");
await measure("scrolling to another place", (round) =>
  timeInPage(`scrollTo(0, document.documentElement.scrollHeight * ${(round % 5) / 5});`),
);
await timeInPage("scrollTo(0, 0);");
await measure("sorting by another column", (round) => press(round % 2 === 0 ? "Status" : "Device"));
await measure("changing the filter", (round) => press(round % 2 === 0 ? "Offline" : "All"));
report.push(["shown in the end", (await shown.textContent()) ?? ""]);

for (const [title, lines] of [
  [`${devices} devices of one account: response time`, report],
  ["CPU time and requests", costs],
] as const) {
  const width = Math.max(...lines.map(([label]) => label.length));
  console.log(title);
  for (const [label, figure] of lines) console.log(`  ${label.padEnd(width)}  ${figure}`);
}
await browser.close();
await site.stop();
