import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCheapScrypt } from "../../server/src/testing/cheap-scrypt.js";
import { createAuthenticatorApp } from "../../server/src/testing/second-factor.js";
import { buildPage } from "./build-page.js";
import { checkView } from "./check-view.js";
import { describeInBrowser } from "./describe-in-browser.js";
import { closePages, openBrowser } from "./open-browser.js";
import { readQrCode } from "./read-qr-code.js";
import { type Site, startSite } from "./start-site.js";
import { visit } from "./visit.js";

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
      // Attempts are limited by address, and this test is quicker than a person.
      TRUSTED_PROXIES: 1,
      OPERATOR_EMAILS: [email],
      OPERATORS_NEED_SECOND_FACTOR: true,
    };
    // Passed through the parser, which reads a list as text.
    const texts = { ...environment, OPERATOR_EMAILS: email as unknown as string[] };
    [site, browser] = await Promise.all([
      startSite({ pageFolder, environment: texts }),
      openBrowser(),
    ]);
    page = await openPage();
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
  });

  /** Opens a page in a browser of its own. Whatever it logs as an error, or does with a mouse, fails the test. */
  const openPage = async (options: object = {}) => {
    const context = await browser.newContext({
      ...{ baseURL: site.url, reducedMotion: "reduce", viewport: { width: 1440, height: 900 } },
      ...options,
    });
    await context.addInitScript(() => {
      for (const event of ["pointerdown", "mousedown", "touchstart"])
        addEventListener(event, () => console.error(`The test used a pointer: ${event}`), true);
    });
    const opened = await context.newPage();
    opened.setDefaultTimeout(timeout);
    opened.on("pageerror", (error) => browserErrors.push(String(error)));
    opened.on("console", (message) => {
      const errorResponse = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !errorResponse) browserErrors.push(message.text());
    });
    return opened;
  };
  let submissions = 0;
  /** Presses Enter, as a client whose address is new to the server. */
  const enter = async () => {
    await page.setExtraHTTPHeaders({ "x-forwarded-for": `198.18.0.${++submissions}` });
    await page.keyboard.press("Enter");
  };
  /** Makes all sessions 11 minutes old, and the second factor older than any notice. */
  const ageSessions = () => {
    const accounts = new Sqlite(join(site.dataDir, "accounts.db"));
    const createdAt = new Date(Date.now() - 660_000).toISOString();
    accounts.prepare("UPDATE session SET createdAt = ?").run(createdAt);
    accounts.exec("UPDATE twoFactor SET firstStep = 1");
    accounts.close();
  };
  const mailedLink = (to: string, subject: string) => {
    const mail = site.mails.findLast((one) => one.to === to && one.subject.includes(subject));
    return /https?:\S+/.exec(mail?.text ?? "")?.[0] ?? "";
  };
  /** Presses the Tab key until an element has the focus, which the user sees. */
  const tabTo = async (target: Locator) => {
    await target.waitFor();
    const isReached = () =>
      target.evaluate(
        (element) =>
          element === document.activeElement && getComputedStyle(element).outlineStyle === "solid",
      );
    for (let presses = 0; presses < 60; presses++) {
      if (await isReached()) return;
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
    await enter();
  };
  const follow = async (name: string) => {
    await tabTo(page.getByRole("link", { name, exact: true }));
    await enter();
  };
  const openAccount = async () => {
    await tabTo(page.locator("summary"));
    await enter();
    await follow("Your account");
    await heading("Your account").waitFor();
  };
  const heading = (name: string) => page.getByRole("heading", { name, exact: true });
  /** Enters a code when the server has given up the sign-in, which then starts again with the password. */
  const enterLateCode = async () => {
    const path = "**/two-factor/verify-totp";
    const json = { code: "INVALID_TWO_FACTOR_COOKIE" };
    await page.route(path, (route) => route.fulfill({ status: 401, json }));
    await type("Code from your authenticator app", "000000");
    await enter();
    await page.getByText("This took too long. Start again with your password.").waitFor();
    await page.unroute(path);
  };
  let app: ReturnType<typeof createAuthenticatorApp>;
  let recoveryCodes: string[] = [];
  const shownCodes = async () => {
    await page.getByText("Your recovery codes").waitFor();
    return page.locator(".recovery-codes code").allTextContents();
  };

  test("an operator turns on the second factor, gets the role and keeps the recovery codes", async () => {
    await page.goto("/");
    await heading("Sign in").waitFor();
    await follow("Create an account");
    await heading("Create an account").waitFor();
    await type("Name", "Olga");
    await type("E-mail", email);
    await type("Password", password);
    await enter();
    await expect.poll(() => mailedLink(email, "Verify")).not.toBe("");
    await page.goto(mailedLink(email, "Verify"));
    await page.getByLabel("Password", { exact: true }).waitFor();
    await type("Password", password);
    await enter();
    await page.getByText("Operators need a second factor here.").waitFor();
    await follow("Turn it on");
    await heading("Your account").waitFor();
    await page.getByText("(this session)").waitFor();

    await type("Your password", password);
    await press("Set up second factor");
    await page.getByAltText("QR code for the authenticator app").waitFor();
    await checkView(page);
    const address = await readQrCode(page.locator(".qr"));
    const shown = await page.locator("code").first().textContent();
    const secret = new URL(address ?? "").searchParams.get("secret");
    expect(shown?.replaceAll(" ", "")).toBe(secret);
    app = createAuthenticatorApp(address ?? "");
    await type("Code that the app shows", app.next());
    // The codes are shown once, so that a failed request after them must not remove them.
    const failed = page.waitForResponse((response) => response.status() === 429);
    await page.route("**/api/site", (route) => route.fulfill({ status: 429 }));
    await enter();
    await failed;
    const first = await shownCodes();
    expect(first).toHaveLength(10);
    await page.unroute("**/api/site");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByRole("link", { name: "Audit trail" }).waitFor();
    expect(await shownCodes()).toEqual(first);
    await checkView(page);
    await press("I have kept them");
    await type("Your password", password);
    await press("New recovery codes");
    recoveryCodes = await shownCodes();
    expect(recoveryCodes).toHaveLength(10);
    expect(recoveryCodes).not.toContain(first[0]);
    await press("I have kept them");
  });

  test("a sign-in asks for the code, and the account lists and ends its sessions", async () => {
    const earlier = page;
    const other = await openPage({ userAgent: "Firefox/1 Linux" });
    const enterPassword = async () => {
      await type("E-mail", email);
      await type("Password", password);
      await enter();
      await heading("Enter your second factor").waitFor();
    };
    const signInElsewhere = async () => {
      page = other;
      await page.goto("/sign-in");
      await enterPassword();
    };
    const seeOther = async () => {
      page = earlier;
      await page.reload();
      await page.getByText("Firefox on Linux").waitFor();
    };
    const devices = () => page.getByText("No gateways yet").or(heading("Devices")).first();
    const gone = () => page.getByText("Firefox on Linux").waitFor({ state: "detached" });

    await signInElsewhere();
    await checkView(page);
    await enterLateCode();
    await page.getByLabel("E-mail", { exact: true }).and(page.locator(":focus")).waitFor();
    await enterPassword();
    await type("Code from your authenticator app", "000000");
    await enter();
    await page.getByText("The code is wrong").waitFor();
    await tabTo(page.getByLabel("Code from your authenticator app"));
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(app.next());
    await enter();
    await devices().waitFor();
    await seeOther();
    await tabTo(page.getByRole("button", { name: /^End session: Firefox on Linux/ }));
    await enter();
    await gone();

    await signInElsewhere();
    await press("Use a recovery code");
    await type("Recovery code", recoveryCodes.pop() ?? "");
    await enter();
    await devices().waitFor();
    await seeOther();
    await press("End all other sessions");
    await gone();
    await other.context().close();
  });

  test("a change asks to sign in again if the sign-in is more than ten minutes ago", async () => {
    const question = heading("Sign in again");
    const changeAddress = async () => {
      await type("New e-mail address", "new@example.com");
      await enter();
      await question.waitFor();
    };
    const enterPassword = async () => {
      await type("Password", password);
      await enter();
    };
    ageSessions();
    await changeAddress();
    await checkView(page);
    // A user who leaves the view is not asked when they return.
    await visit(page, "/");
    await question.waitFor({ state: "detached" });
    await openAccount();
    await page.getByText("(this session)").waitFor();
    expect(await question.count()).toBe(0);
    await changeAddress();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await press("Change address");
    await question.waitFor();
    await enterPassword();
    // The user looks at the authenticator app. The session has ended, and the view stays.
    await page.getByLabel("Code from your authenticator app").waitFor();
    const answered = page.waitForResponse("**/api/site");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    expect(await (await answered).json()).toMatchObject({ account: null });
    await enterLateCode();
    await enterPassword();
    await press("Use a recovery code");
    await type("Recovery code", recoveryCodes.pop() ?? "");
    await enter();
    await page.getByText("You are signed in again. Repeat the change.").waitFor();
    await question.waitFor({ state: "detached" });
  });

  test("the address changes after both links, and the password after the old one", async () => {
    await page.goto("/");
    await openAccount();
    await type("New e-mail address", "new@example.com");
    await enter();
    await page.getByText("We have sent a link to your current address.").waitFor();
    await page.goto(mailedLink(email, "Confirm the change"));
    await press("Confirm");
    await page.getByText("Now open the link").waitFor();
    await page.goto(mailedLink("new@example.com", "Confirm your new"));
    await press("Confirm");
    await page.getByText("Your address is new@example.com now.").waitFor();
    await follow("Your account");
    await type("Current password", password);
    // Pasting works, which password managers need.
    await tabTo(page.getByLabel("New password", { exact: true }));
    await page.keyboard.insertText("words that nobody guesses");
    await enter();
    await page.getByText("Your password has been changed.").waitFor();
  });

  test("the link in a notice signs everybody out and leads to a new password", async () => {
    await page.goto(mailedLink("new@example.com", "Your password was changed"));
    await heading("Take your account back").waitFor();
    await press("It was not me: sign everybody out");
    await heading("Choose a new password").waitFor();
    await type("New password", "the owner's own words");
    await enter();
    await page.getByText("Your password has been changed.").waitFor();
    await type("E-mail", "new@example.com");
    await type("Password", "the owner's own words");
    await enter();
    await heading("Enter your second factor").waitFor();
  });

  test("the account is deleted after a confirmation", async () => {
    await type("Code from your authenticator app", app.next());
    await enter();
    // A view that appears takes the focus from where it was.
    await page.getByText("No gateways yet").waitFor();
    await openAccount();
    await type("Your password", "the owner's own words");
    await press("Turn off");
    await page.getByText("The second factor is off.").waitFor();
    await press("Delete this account");
    await heading("Delete your account?").waitFor();
    await press("Delete account");
    await page.getByText("Your account has been deleted.").waitFor();
    expect(browserErrors).toEqual([]);
  });
});
