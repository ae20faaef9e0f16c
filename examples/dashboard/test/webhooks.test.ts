import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Sqlite from "better-sqlite3";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { checkView, expectAccessible } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openAccount } from "./open-account.js";
import { closePages, openBrowser } from "./open-browser.js";
import { type Site, startSite } from "./start-site.js";
import { visit } from "./visit.js";

useCheapScrypt();

const timeout = 120_000;
const operators = "olga@example.com" as unknown as string[];

/** Reads the attempts again until one has a text. A busy server sends late. */
async function findAttempt(page: Page, text: string) {
  const read = async () => {
    const answered = page.waitForResponse((response) => response.url().includes("/attempts"));
    await page.getByRole("button", { name: "Refresh", exact: true }).click();
    await answered;
    return page.getByText(text).count();
  };
  await expect.poll(read, { timeout }).toBeGreaterThan(0);
}

describeInBrowser("webhooks in the browser", () => {
  let site: Site;
  let browser: Browser;
  let page: Page;
  let receiver: Server;
  let status = 204;
  const received: { readonly type: string }[] = [];

  const button = (name: string) => page.getByRole("button", { name, exact: true });

  beforeAll(async () => {
    const pageFolder = await buildPage();
    receiver = createServer((request, response) => {
      void text(request).then((body) => {
        if (status === 204) received.push(JSON.parse(body) as { type: string });
        response.writeHead(status).end(status === 204 ? undefined : "out of order");
      });
    });
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    const environment = {
      ...{ DEMO: false, OPERATOR_EMAILS: operators, WEBHOOKS: true, WEBHOOKS_INTRANET: true },
      WEBHOOKS_OF_OWNERS: true,
    };
    [site, browser] = await Promise.all([startSite({ pageFolder, environment }), openBrowser()]);
    const olga = createBrowser(site.url);
    page = await openAccount(site, browser, olga, { email: "olga@example.com", timeout });
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
    receiver?.close();
  });

  test("§8 an operator creates a webhook, keeps its secret, and sends a test event", async () => {
    await page.goto("/");
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
    await expectAccessible(page);
    await button("Create the first webhook").press("Enter");
    const { port } = receiver.address() as AddressInfo;
    await page.getByLabel("URL").fill(`http://127.0.0.1:${port}/hook`);
    await page.getByLabel("alert_rule.created").press("Space");
    await button("Create webhook").press("Enter");
    await page.getByRole("heading", { name: "The secret of this webhook" }).waitFor();
    const secret = await page.getByLabel("Secret", { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await button("I have kept it").press("Enter");
    await page.getByRole("heading", { name: `http://127.0.0.1:${port}/hook` }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
    await button("Send a test event").press("Enter");
    await findAttempt(page, "arrived, 204");
    expect(received.map(({ type }) => type)).toEqual(["webhook.test"]);
  });

  test("§8 a message that fails is shown with the response, and a dead letter is sent again", async () => {
    status = 500;
    await page.request.post("/api/v1/dashboard/alert-rules", {
      data: { name: "Silent", condition: { kind: "silent" } },
      headers: { origin: site.url },
    });
    await findAttempt(page, "failed, 500");
    await page.getByText("Response").first().click();
    await page.getByText("out of order").first().waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Waiting messages" }).waitFor();
    await expectAccessible(page);
    // A message is given up after three days.
    const database = new Sqlite(join(site.dataDir, "gateway.db"));
    database.exec("UPDATE webhook_deliveries SET is_dead = 1");
    database.close();
    status = 204;
    await page.reload();
    await button("Send again: alert_rule.created").waitFor();
    await checkView(page);
    const isRetry = "**/webhooks/*/retry";
    await page.route(isRetry, (route) => route.abort());
    await button("Send again: alert_rule.created").press("Enter");
    await button("Try again").waitFor();
    await page.unroute(isRetry);
    // The button repeats the request that failed.
    await button("Try again").press("Enter");
    await page.getByRole("heading", { name: "No dead letters" }).waitFor();
    expect(await button("Try again").count()).toBe(0);
    await expect
      .poll(() => received.map(({ type }) => type), { timeout })
      .toContain("alert_rule.created");
  });

  test("§8 a webhook is disabled and enabled, sends its events again, gets a new secret, and is deleted", async () => {
    await button("Disable").click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await button("Enable").click();
    await page.getByText("enabled", { exact: true }).waitFor();
    const before = received.length;
    await page.getByLabel("Since").fill("2020-01-01T00:00");
    await button("Send events again").click();
    await expect.poll(() => received.length, { timeout }).toBeGreaterThan(before);
    await button("New secret").click();
    await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
    await page.getByLabel("Secret", { exact: true }).waitFor();
    await button("I have kept it").click();
    await button("Delete").click();
    await button("Delete webhook").click();
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  });

  test("§8 a customer finds webhooks of their own devices, and creates one", async () => {
    const bob = createBrowser(site.url);
    const theirs = await openAccount(site, browser, bob, { email: "bob@example.com", timeout });
    await theirs.goto("/");
    await theirs.getByRole("link", { name: "Webhooks" }).click();
    await theirs.getByRole("heading", { name: "No webhooks yet" }).waitFor();
    const press = (name: string) =>
      theirs.getByRole("button", { name, exact: true }).press("Enter");
    await press("Create the first webhook");
    const { port } = receiver.address() as AddressInfo;
    await theirs.getByLabel("URL").fill(`http://127.0.0.1:${port}/hook`);
    expect(await theirs.getByLabel("alert_rule.created").count()).toBe(0);
    await theirs.getByLabel("device.offline").press("Space");
    await press("Create webhook");
    await press("I have kept it");
    const before = received.length;
    await press("Send a test event");
    await findAttempt(theirs, "arrived, 204");
    expect(received.slice(before).map(({ type }) => type)).toEqual(["webhook.test"]);
    await visit(page, "/webhooks");
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  });
});
