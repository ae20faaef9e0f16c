import { createDeviceClient } from "@device-gateway/device-client";
import { describe, expect, test } from "vitest";
import { createBrowser, linkIn, password } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { type AccountBrowser, useAccountServer } from "../testing/use-account-server.js";

useCheapScrypt();

const day = 86_400_000;
const operatorEmail = "olga@example.com";
const auditorEmail = "otto@example.com";
const settings = {
  OPERATOR_EMAILS: `${operatorEmail},${auditorEmail}`,
  OPERATORS_NEED_SECOND_FACTOR: true,
};

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const { server, mailTo, fragmentOf, post, readAccount, signUp, enrol, takeBack, age } =
    useAccountServer(kind, settings);
  const statusOfOperators = async (browser: AccountBrowser) =>
    (await browser.call("GET", "/api/v1/operator/devices")).status;

  test("an operator has the role only with a second factor, and each code and recovery code works once", async () => {
    const operator = await signUp(operatorEmail);
    const other = createBrowser(server().url);
    await other.signIn(operatorEmail);
    expect(await readAccount(operator)).toMatchObject({ operator: false, lacksFactor: true });
    expect(await statusOfOperators(operator)).toBe(403);
    const { app, recoveryCodes } = await enrol(operator);
    expect(await readAccount(operator)).toMatchObject({ operator: true, secondFactor: true });
    expect(await statusOfOperators(operator)).toBe(200);
    // The other session has not proved the factor.
    expect(await readAccount(other)).toBeNull();
    expect(mailTo(operatorEmail, "Second factor turned on")).toBeDefined();

    expect(await (await other.signIn(operatorEmail)).json()).toMatchObject({
      twoFactorRedirect: true,
    });
    expect(await readAccount(other)).toBeNull();
    const used = await post(other, "/two-factor/verify-totp", { code: app.again() });
    expect(used).toMatchObject({ status: 401, code: "INVALID_CODE" });
    expect(await readAccount(other)).toBeNull();
    await other.signIn(operatorEmail);
    const next = await post(other, "/two-factor/verify-totp", { code: app.next() });
    expect([next.status, await readAccount(other)]).toMatchObject([200, { operator: true }]);

    for (const status of [200, 401]) {
      const lost = createBrowser(server().url);
      await lost.signIn(operatorEmail);
      const code = recoveryCodes[0];
      expect(await post(lost, "/two-factor/verify-backup-code", { code })).toMatchObject({
        status,
      });
    }
  });

  test("an account can be changed only within ten minutes after a sign-in, which replaces the earlier session", async () => {
    const email = "fresh@example.com";
    const browser = await signUp(email);
    await age(email, 11 * 60_000);
    const changes: readonly (readonly [string, object])[] = [
      ["/change-email", { newEmail: "other@example.com" }],
      ["/change-password", { currentPassword: password, newPassword: "another good password" }],
      ["/two-factor/enable", { password }],
      ["/two-factor/disable", { password }],
      ["/two-factor/generate-backup-codes", { password }],
      ["/two-factor/get-totp-uri", { password }],
      ["/delete-user", { password }],
    ];
    for (const [path, body] of changes) {
      expect([path, await post(browser, path, body)]).toMatchObject([
        path,
        { status: 403, code: "FRESH_SIGN_IN_REQUIRED" },
      ]);
    }
    expect(await post(browser, "/update-user", { name: "Ann" })).toMatchObject({ status: 200 });
    const listSessions = async () =>
      (await (await browser.call("GET", "/api/auth/list-sessions")).json()) as unknown[];
    await browser.signIn(email);
    expect(await listSessions()).toHaveLength(1);
    const enabled = await post(browser, "/two-factor/enable", { password });
    expect(enabled).toMatchObject({ status: 200 });
  });

  test("text that is not well-formed Unicode is rejected, wherever it is in a body", async () => {
    const browser = await signUp("unicode@example.com");
    const refusal = { status: 400, code: "INVALID_TEXT" };
    const bodies = [
      { password, issuer: "\ud800" },
      { password, deep: [{ "\udfff": 1 }] },
    ];
    for (const body of bodies) {
      expect(await post(browser, "/two-factor/enable", body)).toMatchObject(refusal);
    }
    for (const path of ["/revoke-session", "/delete-user"]) {
      expect(await post(browser, path, { token: "\0" })).toMatchObject(refusal);
    }
    const issuer = "\ud83d\ude00";
    const enabled = await post(browser, "/two-factor/enable", { password, issuer });
    expect(enabled).toMatchObject({ status: 200 });
  });

  test("a session ends after a week without use, and after thirty days in any case", async () => {
    const email = "old@example.com";
    const browser = await signUp(email);
    for (let days = 6; days <= 24; days += 6) {
      await age(email, 6 * day);
      expect([days, await readAccount(browser)]).toMatchObject([days, { email }]);
    }
    await age(email, 6 * day);
    expect(await readAccount(browser)).toBeNull();
    await browser.signIn(email);
    expect(await readAccount(browser)).toMatchObject({ email });
    await age(email, 7 * day);
    expect(await readAccount(browser)).toBeNull();
  });

  test("a common password and the account's own words are rejected wherever a password is set", async () => {
    const email = "margarethe@example.com";
    const browser = createBrowser(server().url);
    const refusal = { status: 400, code: "PASSWORD_TOO_COMMON" };
    const guessed = ["1234567890", "Password123", "qwertyuiop", email, "Margarethe2026!"];
    for (const common of [...guessed, "Device-Gateway1"]) {
      const signingUp = { email, name: "M", password: common };
      const refused = await post(createBrowser(server().url), "/sign-up/email", signingUp);
      expect([common, refused]).toMatchObject([common, refusal]);
    }
    await browser.signUp(email);
    await browser.verify(mailTo(email, "Verify"));
    expect(await post(browser, "/update-user", { name: "Zebulon" })).toMatchObject({ status: 200 });
    const change = (newPassword: string) =>
      post(browser, "/change-password", { currentPassword: password, newPassword });
    expect(await change("password12345")).toMatchObject(refusal);
    expect(await change("zebulon12345")).toMatchObject(refusal);
    await post(browser, "/request-password-reset", { email });
    const { token } = fragmentOf(mailTo(email, "Choose a new password"));
    // A reset needs no session, so the words come from the account of the link.
    const stranger = createBrowser(server().url);
    for (const newPassword of ["Margarethe2026!", "Zebulon-2026"]) {
      const refused = await post(stranger, "/reset-password", { token, newPassword });
      expect([newPassword, refused]).toMatchObject([newPassword, refusal]);
    }
    // A long password without digits or signs is accepted. It ends all other sessions, and the owner is notified.
    const other = createBrowser(server().url);
    await other.signIn(email);
    expect(await change("x y".repeat(40))).toMatchObject({ status: 200 });
    expect([await readAccount(other), await readAccount(browser)]).toMatchObject([null, { email }]);
    expect(mailTo(email, "password was changed")).toBeDefined();
  });

  test("an address changes only after both addresses confirmed it in a session of the account", async () => {
    const [from, to] = ["moving@example.com", "moved@example.com"];
    const browser = await signUp(from);
    const stranger = await signUp("stranger@example.com");
    const used = { status: 400, code: "INVALID_TOKEN" };
    await post(browser, "/change-email", { newEmail: to });
    const asked = fragmentOf(mailTo(from, "Confirm the change"));
    // The second link does not exist before the first is confirmed.
    expect(mailTo(to, "Confirm")).toBeUndefined();
    const elsewhere = { ...asked, newEmail: "elsewhere@example.com" };
    expect(await post(browser, "/confirm-email", elsewhere)).toMatchObject(used);
    expect(await post(stranger, "/confirm-email", asked)).toMatchObject(used);
    // A link works once, also if the attempt failed.
    expect(await post(browser, "/confirm-email", asked)).toMatchObject(used);

    await post(browser, "/change-email", { newEmail: to });
    await age(from, 20 * 60_000);
    const first = fragmentOf(mailTo(from, "Confirm the change"));
    expect(await post(browser, "/confirm-email", first)).toMatchObject({ done: false });
    expect(await readAccount(browser)).toMatchObject({ email: from });
    const second = fragmentOf(mailTo(to, "Confirm your new"));
    const signedOut = await post(createBrowser(server().url), "/confirm-email", second);
    expect(signedOut).toMatchObject({ status: 401 });
    expect(await post(browser, "/confirm-email", second)).toMatchObject({ done: true });
    expect(await readAccount(browser)).toMatchObject({ email: to });

    // The earlier address hears of it and can take the account back.
    const notice = mailTo(from, "address was changed");
    const owner = await takeBack(notice, "the owner's own words");
    expect(await readAccount(browser)).toBeNull();
    expect((await owner.signIn(from, "the owner's own words")).status).toBe(200);
    expect(await post(createBrowser(server().url), "/undo", fragmentOf(notice))).toMatchObject(
      used,
    );
  });

  test("a change to an address that has an account looks like any other and changes nothing", async () => {
    const [from, taken] = ["curious@example.com", "taken@example.com"];
    await signUp(taken);
    const browser = await signUp(from);
    await post(browser, "/change-email", { newEmail: taken });
    const confirmed = fragmentOf(mailTo(from, "Confirm the change"));
    expect(await post(browser, "/confirm-email", confirmed)).toEqual({ status: 200, done: false });
    expect(mailTo(taken, "Somebody entered")).toBeDefined();
    expect(await readAccount(browser)).toMatchObject({ email: from });
  });

  test("a sign-in from a new browser is reported once, and its undo ends every session", async () => {
    const email = "told@example.com";
    await signUp(email);
    const thief = createBrowser(server().url);
    const countNotices = () =>
      server().mails.filter(({ to, subject }) => to === email && subject === "New sign-in").length;
    expect(countNotices()).toBe(0);
    await thief.signIn(email);
    await thief.signIn(email);
    expect(countNotices()).toBe(1);
    const notice = mailTo(email, "New sign-in");
    // A mail scanner opens the link.
    await fetch(linkIn(notice));
    expect(await readAccount(thief)).toMatchObject({ email });
    await takeBack(notice, "the owner's own words");
    expect(await readAccount(thief)).toBeNull();
    expect((await thief.signIn(email)).status).toBe(401);
  });

  test("the owner's undo removes a second factor that a thief turned on", async () => {
    const email = "robbed@example.com";
    await enrol(await signUp(email));
    const owner = await takeBack(mailTo(email, "Second factor turned on"), "the owner's own words");
    await owner.signIn(email, "the owner's own words");
    expect(await readAccount(owner)).toMatchObject({ email, secondFactor: false });
  });

  test("deleting an account releases its devices, and the audit trail says so", async () => {
    const email = `leaving-${kind}@example.com`;
    const deviceId = `gw-${kind}`;
    const claimCode = "ABCD-EFGH";
    const client = createDeviceClient({ baseUrl: server().url });
    const device = { deviceId, hardwareId: "board", firmwareVersion: "1.0.0", claimCode };
    (await client.register(device))._unsafeUnwrap();
    const browser = await signUp(email);
    await enrol(browser);
    expect((await browser.claim(deviceId, claimCode)).status).toBe(200);
    await expect
      .poll(() => mailTo(email, "Your devices")?.text)
      .toContain(`${deviceId} was claimed.`);
    const { token } = await post(browser, "/token");
    const useToken = async () => {
      const headers = { authorization: `Bearer ${String(token)}` };
      return (await fetch(`${server().url}/api/v1/dashboard/devices`, { headers })).status;
    };
    expect(await useToken()).toBe(200);
    expect(await post(browser, "/delete-user")).toMatchObject({ status: 200 });
    expect(await readAccount(browser)).toBeNull();
    expect(await useToken()).toBe(401);
    expect((await browser.signIn(email)).status).toBe(401);
    const next = await signUp(`next-${kind}@example.com`);
    expect((await next.claim(deviceId, claimCode)).status).toBe(200);
    const auditor = await signUp(auditorEmail);
    await enrol(auditor);
    const trail = await auditor.call("GET", `/api/v1/operator/audit?deviceId=${deviceId}`);
    expect(await trail.text()).toContain("device.released");
    // The owner who left hears nothing more.
    expect(mailTo(email, "Your devices")?.text).not.toContain("released");
  });
});
