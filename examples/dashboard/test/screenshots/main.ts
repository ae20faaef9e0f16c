/** Takes screenshots of every page at 390, 820 and 1440 pixels, light and dark: `pnpm dashboard screenshots [folder] [scene]`. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openBrowser } from "../open-browser.js";
import { startSite } from "../start-site.js";
import { scenes } from "./scenes.js";
import { startReceiver } from "./start-receiver.js";
import { variants } from "./variants.js";

const folder = resolve(process.env["INIT_CWD"] ?? ".", process.argv[2] ?? "screenshots");
const only = process.argv[3];
await mkdir(folder, { recursive: true });
const receiver = await startReceiver();
const site = await startSite({
  environment: { WEBHOOKS: true, WEBHOOKS_INTRANET: true, WEBHOOKS_OF_OWNERS: true },
});
const browser = await openBrowser();
const [first] = variants;
for (const variant of variants) {
  const context = await browser.newContext({ ...variant.context, baseURL: site.url });
  const page = await context.newPage();
  for (const [name, show] of Object.entries(scenes)) {
    // The first variant changes the data. The others show the result.
    const prepared = variant !== first;
    await show(page, { site, receiver, prepared, variant: variant.name });
    if (only !== undefined && !name.includes(only)) continue;
    // A dialog is placed in the viewport. A full-page screenshot would misplace it.
    const fullPage = (await page.locator("dialog[open]").count()) === 0;
    await page.waitForTimeout(250);
    if (fullPage) await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `${name}-${variant.name}.png`), fullPage });
  }
  await context.close();
}
await browser.close();
await site.stop();
receiver.stop();
console.log(
  `${variants.length * Object.keys(scenes).length} scenes shown. The screenshots are in ${folder}`,
);
