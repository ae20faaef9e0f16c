import type { Browser, Page } from "playwright-core";
import { expect, vi } from "vitest";
import type { Site } from "./start-site.js";

/** What this needs of `createBrowser` of the server's tests. */
interface Account {
  signUp(email: string): Promise<Response>;
  verify(mail: Site["mails"][number] | undefined): Promise<Response>;
  cookie(): string;
}

/** Creates an account with a verified address, and opens a page in which it is signed in. */
export async function openAccount(
  site: Site,
  browser: Browser,
  account: Account,
  { email, timeout }: { readonly email: string; readonly timeout: number },
): Promise<Page> {
  expect((await account.signUp(email)).status).toBe(200);
  const findMail = () => site.mails.find(({ to }) => to === email);
  await vi.waitFor(() => expect(findMail()).toBeDefined(), { timeout });
  expect((await account.verify(findMail())).status).toBe(200);
  const context = await browser.newContext({ baseURL: site.url, reducedMotion: "reduce" });
  const cookies = account.cookie().split("; ");
  await context.addCookies(
    cookies.map((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      return { name, value, url: site.url };
    }),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  return page;
}
