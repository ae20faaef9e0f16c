/** Pictures of every page in light, dark and phone size: `pnpm screenshots [folder]`. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openBrowser } from "../open-browser.js";
import { startSite } from "../start-site.js";
import { variants } from "./variants.js";
import { scenes } from "./scenes.js";

const folder = resolve(process.env["INIT_CWD"] ?? ".", process.argv[2] ?? "screenshots");
const only = process.argv[3];
await mkdir(folder, { recursive: true });
const site = await startSite();
const browser = await openBrowser();
const [first] = variants;
for (const look of variants) {
  const context = await browser.newContext({ ...look.context, baseURL: site.url });
  const page = await context.newPage();
  for (const [name, show] of Object.entries(scenes)) {
    // What a scene did to the data stays done: the others only look.
    const prepared = look !== first;
    await show(page, { site, prepared, look: look.name });
    if (only !== undefined && !name.includes(only)) continue;
    // A dialog is seen where the reader is; a picture of the whole page would tear it off.
    const fullPage = (await page.locator("dialog[open]").count()) === 0;
    await page.waitForTimeout(250);
    if (fullPage) await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage });
  }
  await context.close();
}
await browser.close();
await site.stop();
console.log(`${variants.length * Object.keys(scenes).length} pictures in ${folder}`);
