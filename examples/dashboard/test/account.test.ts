import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { createAuthenticatorApp } from "../../server/src/testing/second-factor.js";
import { buildPage } from "./build-page.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { openBrowser } from "./open-browser.js";
import { findAccessibilityProblems } from "./page-checks.js";
import { readQrCode } from "./read-qr-code.js";
import { type Site, startSite } from "./start-site.js";

useCheapScrypt();

const email = "olga@example.com";
const password = "correct horse battery";
const timeout = 120_000;

describeInBrowser("the account's view, with the keyboard only", () => {
  let pageFolder: string;
  let site: Site;
  let browser: Browser;
  let page: Page;
  const browserErrors: string[] = [];

  beforeAll(async () => {
    pageFolder = await buildPage();
    const environment = {
      DEMO: false,
      OPERATOR_EMAILS: [email],
      OPERATORS_NEED_SECOND_FACTOR: true,
    };
    // Passed through the parser, which reads a list as text.
    const texts = { ...environment, OPERATOR_EMAILS: email as unknown as string[] };
    [site, browser] = await Promise.all([
      startSite({ pageFolder, environment: texts }),
      openBrowser(),
    ]);
    page = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    page.setDefaultTimeout(timeout);
    await page.setViewportSize({ width: 1440, height: 900 });
    page.on("pageerror", (error) => browserErrors.push(String(error)));
    page.on("console", (message) => {
      const errorResponse = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !errorResponse) browserErrors.push(message.text());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  const mailedLink = (to: string, subject: string) => {
    const mail = site.mails.findLast((one) => one.to === to && one.subject.includes(subject));
    return /https?:\S+/.exec(mail?.text ?? "")?.[0] ?? "";
  };
  /** Presses the Tab key until an element has the focus. */
  const tabTo = async (target: Locator) => {
    await target.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      if ((await target.and(page.locator(":focus")).count()) > 0) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`The Tab key does not reach ${String(target)}`);
  };
  const type = async (label: string, text: string) => {
    await tabTo(page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  };
  const press = async (name: string) => {
    await tabTo(page.getByRole("button", { name, exact: true }));
    await page.keyboard.press("Enter");
  };
  const heading = (name: string) => page.getByRole("heading", { name, exact: true });
  /** The view is accessible and fits, on a desktop and on a phone. */
  const expectGoodPage = async () => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = () =>
        page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
      // The page moves its parts after a change of its width.
      await expect.poll(overflow, { message: `at ${width} px` }).toBe(0);
      expect([width, await findAccessibilityProblems(page)]).toEqual([width, []]);
    }
  };
  let app: ReturnType<typeof createAuthenticatorApp>;

  test("an operator turns on the second factor, gets the role and keeps the recovery codes", async () => {
    await page.goto("/sign-up");
    await type("Name", "Olga");
    await type("E-mail", email);
    await type("Password", password);
    await page.keyboard.press("Enter");
    await expect.poll(() => mailedLink(email, "Verify")).not.toBe("");
    await page.goto(mailedLink(email, "Verify"));
    await type("Password", password);
    await page.keyboard.press("Enter");
    await page.getByText("Operators need a second factor here.").waitFor();
    await tabTo(page.getByRole("link", { name: "Turn it on" }));
    await page.keyboard.press("Enter");
    await heading("Your account").waitFor();
    await page.getByText("(this session)").waitFor();
    await expectGoodPage();

    await type("Your password", password);
    await press("Set up second factor");
    await page.getByAltText("QR code for the authenticator app").waitFor();
    await expectGoodPage();
    const address = await readQrCode(page.locator(".qr"));
    const shown = await page.locator("code").first().textContent();
    const secret = new URL(address ?? "").searchParams.get("secret");
    expect(shown?.replaceAll(" ", "")).toBe(secret);
    app = createAuthenticatorApp(address ?? "");
    await type("Code that the app shows", app.next());
    await page.keyboard.press("Enter");
    await page.getByText("Your recovery codes").waitFor();
    expect(await page.locator(".recovery-codes code").count()).toBe(10);
    await expectGoodPage();
    await press("I have kept them");
    await page.getByRole("link", { name: "Audit trail" }).waitFor();
  });

  test("a sign-in asks for the code, and the account lists and ends its sessions", async () => {
    const other = await browser.newContext({ baseURL: site.url, userAgent: "Firefox/1 Linux" });
    const earlier = page;
    page = await other.newPage();
    page.setDefaultTimeout(timeout);
    await page.goto("/sign-in");
    await type("E-mail", email);
    await type("Password", password);
    await page.keyboard.press("Enter");
    await heading("Enter your second factor").waitFor();
    await expectGoodPage();
    await type("Code from your authenticator app", "000000");
    await page.keyboard.press("Enter");
    await page.getByText("The code is wrong").waitFor();
    await tabTo(page.getByLabel("Code from your authenticator app"));
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(app.next());
    await page.keyboard.press("Enter");
    await page.getByText("No gateways yet").or(heading("Devices")).first().waitFor();
    page = earlier;
    await page.goto("/account");
    await page.getByText("Firefox on Linux").waitFor();
    await expectGoodPage();
    await press("End all other sessions");
    await page.getByText("Firefox on Linux").waitFor({ state: "detached" });
    await other.close();
  });

  test("the address changes after both links, and the password after the old one", async () => {
    await page.goto("/account");
    await type("New e-mail address", "new@example.com");
    await page.keyboard.press("Enter");
    await page.getByText("We have sent a link to your current address.").waitFor();
    await page.goto(mailedLink(email, "Confirm the change"));
    await expectGoodPage();
    await press("Confirm");
    await page.getByText("Now open the link").waitFor();
    await page.goto(mailedLink("new@example.com", "Confirm your new"));
    await press("Confirm");
    await page.getByText("Your address is new@example.com now.").waitFor();
    await page.goto("/account");
    await type("Current password", password);
    // Pasting works, which password managers need.
    await tabTo(page.getByLabel("New password", { exact: true }));
    await page.keyboard.insertText("words that nobody guesses");
    await page.keyboard.press("Enter");
    await page.getByText("Your password has been changed.").waitFor();
  });

  test("the link in a notice signs everybody out and leads to a new password", async () => {
    await page.goto(mailedLink("new@example.com", "Your password was changed"));
    await heading("Take your account back").waitFor();
    await expectGoodPage();
    await press("It was not me: sign everybody out");
    await heading("Choose a new password").waitFor();
    await type("New password", "the owner's own words");
    await page.keyboard.press("Enter");
    await page.getByText("Your password has been changed.").waitFor();
    await type("E-mail", "new@example.com");
    await type("Password", "the owner's own words");
    await page.keyboard.press("Enter");
    await heading("Enter your second factor").waitFor();
  });

  test("the account is deleted after a confirmation", async () => {
    await type("Code from your authenticator app", app.next());
    // The server checks three codes in ten seconds. This test may be quicker than that.
    const submit = async () => {
      await page.keyboard.press("Enter");
      return heading("Enter your second factor").count();
    };
    await expect.poll(submit, { interval: 1_000 }).toBe(0);
    await page.goto("/account");
    await press("Delete this account");
    await heading("Delete your account?").waitFor();
    await expectGoodPage();
    await press("Delete account");
    await page.getByText("Your account is deleted.").waitFor();
    expect(browserErrors).toEqual([]);
  });
});
