/** Measures the time from the server's start to a live chart: `pnpm dashboard newcomer`. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../open-browser.js";

const program = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), "device-gateway-newcomer-"));
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });

const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
const step = (what: string) => console.log(`${seconds().padStart(6)} s  ${what}`);

// Runs the built server as `npm start` does, on a free port and without data.
const server = spawn(process.execPath, [program, "--demo"], {
  env: { PATH: process.env["PATH"], PORT: "0", DATA_DIR: dataDir },
  stdio: ["ignore", "pipe", "inherit"],
});
const lines = createInterface({ input: server.stdout });
/** Resolves with the first group of the first printed line that matches. */
const printed = (pattern: RegExp) =>
  new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const found = pattern.exec(line);
      if (found) resolve(found[1] ?? "");
    });
  });
const isLive = printed(/live: a reading every/);
const url = await printed(/Open (http\S+)/);
step(`the server prints: Open ${url}`);

process.on("exit", () => void server.kill("SIGKILL"));
let clicks = 0;
const click = async (name: string) => {
  await page.getByRole("button", { name, exact: true }).click();
  clicks++;
  step(`click ${clicks}: ${name}`);
};
await page.goto(url);
step("the page is loaded");
await click("Open the demo");
await click("Claim this gateway");
await page.locator(".plot canvas").waitFor();
step("the first chart is drawn");
await page.getByText("Live", { exact: true }).waitFor();
step("the page shows Live; 79 days of readings arrive");
await isLive;
const value = page.locator(".chart-value span").first();
const before = await value.textContent();
step(`the gateway has sent all readings; latest value: ${before}`);
await page.waitForFunction(
  (text) => document.querySelector(".chart-value span")?.textContent !== text,
  before,
);
step(`a live reading changes the value: ${await value.textContent()}`);

await browser.close();
server.kill("SIGTERM");
await new Promise((resolve) => server.once("exit", resolve));
await rm(dataDir, { recursive: true, force: true });
