import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";
import type { z } from "zod";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import type { Mail } from "../accounts/mail/send-mail.js";
import { useAccountTables } from "../operations/account-tables.js";
import type { Settings } from "../settings/settings.js";
import { createBrowser, linkIn, password, startServerWithMail } from "./account.js";
import { writeMigratedDatabases } from "./migrated-databases.js";
import { createAuthenticatorApp } from "./second-factor.js";

export type AccountBrowser = ReturnType<typeof createBrowser>;
type Answer = Readonly<Record<string, unknown>> & { readonly status: number };

/** Starts a server for the tests of a `describe`, and returns what they do with accounts. */
export function useAccountServer(
  kind: "sqlite" | "postgres",
  settings: Partial<z.input<typeof Settings>> = {},
) {
  let server: Awaited<ReturnType<typeof startServerWithMail>>;
  const removals: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), "device-gateway-"));
    removals.push(() => rm(DATA_DIR, { recursive: true }));
    let DATABASE_URL: string | undefined;
    if (kind === "postgres") {
      const database = await createTemporaryDatabase(inject("postgresUrl"));
      removals.unshift(database.remove);
      DATABASE_URL = database.url;
    } else {
      await writeMigratedDatabases(DATA_DIR);
    }
    server = await startServerWithMail({ ...settings, DATA_DIR, DATABASE_URL }, (stop) =>
      removals.unshift(stop),
    );
  }, 60_000);
  afterAll(async () => {
    for (const remove of removals) await remove();
  });

  const newBrowser = () => createBrowser(server.url);
  const mailTo = (email: string, subject: string): Mail | undefined =>
    server.mails.findLast((mail) => mail.to === email && mail.subject.includes(subject));
  const fragmentOf = (mail: Mail | undefined) =>
    Object.fromEntries(new URLSearchParams(new URL(linkIn(mail)).hash.slice(1)));
  const post = async (
    browser: AccountBrowser,
    path: string,
    body: object = {},
    headers: object = {},
  ): Promise<Answer> => {
    const response = await browser.call("POST", `/api/auth${path}`, body, headers);
    return { ...(await response.json().catch(() => ({}))), status: response.status };
  };
  return {
    /** The running server. Not before the tests run. */
    server: () => server,
    newBrowser,
    mailTo,
    fragmentOf,
    post,
    readAccount: async (browser: AccountBrowser) =>
      (await (await browser.call("GET", "/api/site")).json()).account,
    /** Signs up and verifies the address. */
    async signUp(email: string) {
      const browser = newBrowser();
      await browser.signUp(email);
      expect((await browser.verify(mailTo(email, "Verify"))).status).toBe(200);
      return browser;
    },
    /** Turns the second factor on. */
    async enrol(browser: AccountBrowser) {
      const { totpURI, backupCodes } = await post(browser, "/two-factor/enable", { password });
      const app = createAuthenticatorApp(String(totpURI));
      const verified = await post(browser, "/two-factor/verify-totp", { code: app.next() });
      expect(verified.status).toBe(200);
      return { app, recoveryCodes: backupCodes as string[] };
    },
    /** Begins a sign-in, which waits for the second factor. */
    async begin(email: string, word = password) {
      const browser = newBrowser();
      const answer = await (await browser.signIn(email, word)).json();
      expect(answer).toMatchObject({ twoFactorRedirect: true });
      return browser;
    },
    /** Chooses a new password with the link in a notice. */
    async takeBack(notice: Mail | undefined, newPassword: string) {
      const owner = newBrowser();
      const { resetToken: token } = await post(owner, "/undo", fragmentOf(notice));
      expect(await post(owner, "/reset-password", { token, newPassword })).toEqual({ status: 200 });
      return owner;
    },
    /** Makes the sessions of an account look older. */
    age: (email: string, ms: number) =>
      useAccountTables(server.settings, async (tables) => {
        const user = tables.selectFrom("user").select("id").where("email", "=", email);
        const { id } = await user.executeTakeFirstOrThrow();
        const rows = await tables
          .selectFrom("session")
          .selectAll()
          .where("userId", "=", id)
          .execute();
        const shift = (time: string) => new Date(new Date(time).getTime() - ms).toISOString();
        for (const row of rows) {
          const times = {
            createdAt: shift(row.createdAt),
            updatedAt: shift(row.updatedAt),
            expiresAt: shift(row.expiresAt),
          };
          await tables.updateTable("session").set(times).where("id", "=", row.id).execute();
        }
      }),
  };
}
