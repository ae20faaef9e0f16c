import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { useAccountTables } from "../../operations/account-tables.js";
import { password } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { useFixedTime } from "../../testing/fixed-time.js";
import { createAuthenticatorApp } from "../../testing/second-factor.js";
import { useAccountServer } from "../../testing/use-account-server.js";

useCheapScrypt();
useFixedTime();

const totp = "/two-factor/verify-totp";
const recovery = "/two-factor/verify-backup-code";

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const { server, post, readAccount, signUp, enrol, begin, newBrowser } = useAccountServer(kind);

  /** Answers of simultaneous requests, sorted by status. */
  const statusesOf = async (answers: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort((a, b) => a - b);

  test("of two sign-ins that use one code at the same time, one succeeds", async () => {
    const email = "twice@example.com";
    const { app, recoveryCodes } = await enrol(await signUp(email));
    for (const [path, code] of [
      [totp, app.next()],
      [recovery, recoveryCodes[0]],
    ] as const) {
      const waiting = [await begin(email), await begin(email)];
      await Promise.all(waiting.map((browser) => post(browser, path, { code })));
      const accounts = await Promise.all(waiting.map(readAccount));
      expect([path, accounts.filter((account) => account !== null)]).toMatchObject([
        path,
        [{ email }],
      ]);
      const again = await begin(email);
      expect([path, await post(again, path, { code })]).toMatchObject([path, { status: 401 }]);
    }
  });

  test("an account accepts ten wrong codes, however many sign-ins guess at the same time", async () => {
    const email = "guessed@example.com";
    const { app, recoveryCodes } = await enrol(await signUp(email));
    const waiting = [];
    for (let n = 0; n < 24; n++) waiting.push(await begin(email));
    const last = waiting.pop();
    const statuses = await statusesOf(
      waiting.map((browser, n) => post(browser, n % 2 ? totp : recovery, { code: `00000${n}` })),
    );
    const checked = statuses.filter((status) => status === 401);
    expect([checked.length, new Set(statuses)]).toEqual([10, new Set([401, 429])]);
    // Not even the correct code is accepted now, and the answer does not say that it is correct.
    for (const [path, code] of [
      [totp, app.next()],
      [recovery, recoveryCodes[0]],
    ] as const) {
      const refused = await post(last ?? newBrowser(), path, { code });
      expect(refused).toMatchObject({ status: 429, code: "TOO_MANY_CODES" });
    }
  });

  test("a correct code starts the count of wrong ones anew", async () => {
    const email = "clumsy@example.com";
    const { app } = await enrol(await signUp(email));
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 9; n++) {
        const browser = await begin(email);
        expect(await post(browser, totp, { code: "000000" })).toMatchObject({ status: 401 });
      }
      const browser = await begin(email);
      expect(await post(browser, totp, { code: app.next() })).toMatchObject({ status: 200 });
    }
  });

  test("a session does not tell whether a code is correct", async () => {
    const browser = await signUp("session@example.com");
    const { app, recoveryCodes } = await enrol(browser);
    for (const [path, code] of [
      [totp, app.next()],
      [totp, "000000"],
      [recovery, recoveryCodes[0]],
    ] as const) {
      const refused = { status: 400, code: "ALREADY_SIGNED_IN" };
      expect([code, await post(browser, path, { code })]).toMatchObject([code, refused]);
    }
  });

  test("a setup that was begun twice at the same time leaves one factor", async () => {
    const email = "double@example.com";
    const browser = await signUp(email);
    const readRows = () =>
      useAccountTables(server().settings, (tables) =>
        tables
          .selectFrom("twoFactor")
          .innerJoin("user", "user.id", "twoFactor.userId")
          .selectAll("twoFactor")
          .where("email", "=", email)
          .execute(),
      );
    const first = await post(browser, "/two-factor/enable", { password });
    const [firstRow] = await readRows();
    const second = await post(browser, "/two-factor/enable", { password });
    // Two simultaneous requests find no row, and each adds its own.
    const row = { ...firstRow, id: "first", userId: String(firstRow?.userId), firstStep: 0 };
    await useAccountTables(server().settings, async (tables) => {
      await tables.insertInto("twoFactor").values(row).execute();
      // Postgres then reads the small table without its index, so that each update changes the order of the rows.
      await sql`analyze`.execute(tables);
    });
    expect(await readRows()).toHaveLength(2);
    const tried = [];
    for (const { totpURI } of [first, second]) {
      const app = createAuthenticatorApp(String(totpURI));
      tried.push((await post(browser, totp, { code: app.next() })).status);
    }
    expect(tried).toContain(200);
    expect(await readRows()).toHaveLength(1);
  });

  test("no browser is trusted to skip the second factor, also if it asks for that", async () => {
    const email = "trusting@example.com";
    const { app } = await enrol(await signUp(email));
    const browser = await begin(email);
    const signedIn = await post(browser, totp, { code: app.next(), trustDevice: true });
    expect(signedIn).toMatchObject({ status: 200 });
    const again = await (await browser.signIn(email)).json();
    expect(again).toMatchObject({ twoFactorRedirect: true });
    expect(await readAccount(browser)).toBeNull();
  });

  test("a sign-in that began with an earlier password cannot be completed", async () => {
    const email = "changed@example.com";
    const owner = await signUp(email);
    const { app } = await enrol(owner);
    const thief = await begin(email);
    const change = { currentPassword: password, newPassword: "the owner's own words" };
    expect(await post(owner, "/change-password", change)).toMatchObject({ status: 200 });
    expect(await post(thief, totp, { code: app.next() })).toMatchObject({ status: 401 });
    expect(await readAccount(thief)).toBeNull();
  });

  test("an account without a verified address cannot set up a second factor", async () => {
    const browser = newBrowser();
    await browser.signUp("unverified@example.com");
    for (const [path, body] of [
      ["/two-factor/enable", { password }],
      [totp, { code: "000000" }],
      [recovery, { code: "aaaaa-aaaaa" }],
    ] as const) {
      const refused = { status: 403, code: "EMAIL_NOT_VERIFIED" };
      expect([path, await post(browser, path, body)]).toMatchObject([path, refused]);
    }
  });
});
