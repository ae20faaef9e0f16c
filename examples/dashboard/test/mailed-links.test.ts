import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, linkIn } from "../../server/src/testing/account-browser.js";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { buildPage } from "./build-page.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { closePages, openBrowser } from "./open-browser.js";
import { findAccessibilityProblems } from "./page-checks.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const timeout = 120_000;

describeInBrowser("links in e-mails", () => {
  let site: Site;
  let browser: Browser;

  beforeAll(async () => {
    const pageFolder = await buildPage();
    [site, browser] = await Promise.all([
      startSite({ pageFolder, environment: { DEMO: false } }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
  });

  // Sign-ups are limited by client address, so each page has one of its own.
  const openPage = async (address: string) => {
    const extraHTTPHeaders = { "x-forwarded-for": address };
    const options = { baseURL: site.url, reducedMotion: "reduce", extraHTTPHeaders } as const;
    const context = await browser.newContext(options);
    context.setDefaultTimeout(timeout);
    return context.newPage();
  };
  const signIn = async (page: Page, email: string, password: string) => {
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const findMail = (address: string) => site.mails.findLast(({ to }) => to === address);

  test("a used verification link offers to send a new one", async () => {
    const account = createBrowser(site.url);
    expect((await account.signUp("ann@example.com")).status).toBe(200);
    await expect.poll(() => findMail("ann@example.com"), { timeout }).toBeDefined();
    const mail = findMail("ann@example.com");
    expect((await account.verify(mail)).status).toBe(200);
    const page = await openPage("198.51.100.1");
    await page.goto(linkIn(mail));
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Verify address" }).click();
    const title = { level: 1, name: "This link no longer works" };
    await page
      .getByRole("heading", { ...title })
      .and(page.locator(":focus"))
      .waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    expect(await page.getByLabel("E-mail of your account").inputValue()).toBe("ann@example.com");
    await page.getByRole("button", { name: "Send a new link" }).click();
    await page.getByText("an e-mail with a new link").waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });

  test("resetting the password also verifies the address", async () => {
    const page = await openPage("198.51.100.2");
    await page.goto("/sign-up");
    await page.getByLabel("Name").fill("Somebody else");
    await page.getByLabel("E-mail").fill("bob@example.com");
    await page.getByLabel("Password").fill("somebody else's words");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Verify your e-mail address.").waitFor();
    await page.goto("/forgot-password");
    await page.getByLabel("E-mail of your account").fill("bob@example.com");
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByText("an e-mail with a link").waitFor();
    await page.goto(linkIn(findMail("bob@example.com")));
    await page.getByLabel("New password").fill("words of his own");
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Your password has been changed.").waitFor();
    await signIn(page, "bob@example.com", "words of his own");
    // The name from the sign-up is gone, and the address needs no verification.
    await page.getByText("bob@example.com", { exact: true }).first().waitFor();
    expect(await page.getByText("Verify your e-mail address.").count()).toBe(0);
    await page.context().close();
  });

  test("a link that needs a session keeps its fragment while the user signs in", async () => {
    const page = await openPage("198.51.100.3");
    await page.goto("/confirm-email#token=abc&newEmail=new@example.com");
    await signIn(page, "ann@example.com", "correct horse battery");
    await page.getByText("new@example.com").waitFor();
    expect(page.url()).toContain("#token=abc&newEmail=new@example.com");
    await page.context().close();
  });

  test("a tab notices that another user signed in elsewhere, and keeps nothing of the former one", async () => {
    const page = await openPage("198.51.100.4");
    await page.goto("/");
    await signIn(page, "ann@example.com", "correct horse battery");
    await page.getByLabel("Device ID").fill("gw-of-ann");
    const other = await page.context().newPage();
    await other.goto("/sign-in");
    await signIn(other, "bob@example.com", "words of his own");
    await page.getByText("bob@example.com", { exact: true }).first().waitFor();
    await expect.poll(() => page.getByLabel("Device ID").inputValue()).toBe("");
    // The session ends elsewhere. The tab notices it when the user comes back to it.
    await page.context().clearCookies();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    await page.context().close();
  });
});
