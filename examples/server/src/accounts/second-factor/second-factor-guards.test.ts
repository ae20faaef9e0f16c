import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  createBrowser,
  linkIn,
  password,
  startServerWithMail,
  tokenIn,
} from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { useFixedTime } from "../../testing/fixed-time.js";
import { createAuthenticatorApp } from "../../testing/second-factor.js";
import type { Mail } from "../mail/send-mail.js";

useCheapScrypt();
useFixedTime();

const email = "ann@example.com";

/** Starts a server with one account, whose second factor is on. */
async function startWithFactor() {
  const { url, mails, settings } = await startServerWithMail();
  const owner = createBrowser(url);
  await owner.signUp(email);
  await owner.verify(mails[0]);
  const enabled = await owner.call("POST", "/api/auth/two-factor/enable", { password });
  const { totpURI, backupCodes } = (await enabled.json()) as {
    readonly totpURI: string;
    readonly backupCodes: readonly string[];
  };
  const app = createAuthenticatorApp(totpURI);
  await owner.call("POST", "/api/auth/two-factor/verify-totp", { code: app.next() });
  const accounts = new Sqlite(join(settings.DATA_DIR, "accounts.db"));
  onTestFinished(() => void accounts.close());
  /** Signs in with the password, from an address of its own. Returns a function that sends a code. */
  const startSignIn = async () => {
    const browser = createBrowser(url);
    await browser.signIn(email);
    return async (code: string) =>
      (await browser.call("POST", "/api/auth/two-factor/verify-totp", { code })).status;
  };
  return { url, mails, owner, app, totpURI, backupCodes, accounts, startSignIn };
}

test("recovery codes are random, and the database holds them and the factor's secret encrypted and authenticated", async () => {
  const { app, totpURI, backupCodes, accounts, startSignIn } = await startWithFactor();
  expect(new Set(backupCodes).size).toBe(10);
  // 62 ^ 10 possible codes: 59 bits.
  for (const code of backupCodes) expect(code).toMatch(/^[A-Za-z0-9]{5}-[A-Za-z0-9]{5}$/);
  const stored = accounts.prepare("SELECT secret, backupCodes FROM twoFactor").get() as {
    readonly secret: string;
    readonly backupCodes: string;
  };
  // XChaCha20-Poly1305 as hexadecimal: 24 bytes of nonce, the text, 16 bytes of tag.
  expect(stored.secret).toMatch(/^[0-9a-f]{100,}$/);
  expect(stored.backupCodes).toMatch(/^[0-9a-f]{100,}$/);
  const secret = new URL(totpURI).searchParams.get("secret") ?? "";
  for (const text of [secret, ...backupCodes]) {
    expect(stored.secret + stored.backupCodes).not.toContain(text);
    expect(stored.secret + stored.backupCodes).not.toContain(Buffer.from(text).toString("hex"));
  }
  const sendCode = await startSignIn();
  const last = stored.secret.at(-1) === "0" ? "1" : "0";
  const write = accounts.prepare("UPDATE twoFactor SET secret = ?");
  write.run(stored.secret.slice(0, -1) + last);
  expect(await sendCode(app.next())).toBe(500);
  write.run(stored.secret);
  expect(await sendCode(app.next())).toBe(200);
});

test("wrong codes of a second factor are limited per address, and per account over all addresses", async () => {
  const { app, startSignIn } = await startWithFactor();
  const first = await startSignIn();
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push(await first("wrong"));
  expect(statuses).toEqual([401, 401, 401, 429]);
  // Three more addresses, which makes ten wrong codes.
  const others = [await startSignIn(), await startSignIn(), await startSignIn()];
  for (const [at, sendCode] of others.entries()) {
    for (let n = 0; n < (at === 2 ? 1 : 3); n++) expect(await sendCode("wrong")).toBe(401);
  }
  // For 15 minutes, not even the correct code is accepted.
  const last = await startSignIn();
  expect(await last(app.next())).toBe(429);
});

test("a code that is sent with another account's session counts as well", async () => {
  const { url, mails, accounts } = await startWithFactor();
  const attacker = createBrowser(url);
  await attacker.signUp("eve@example.com");
  await attacker.verify(mails.findLast(({ to }) => to === "eve@example.com"));
  const waiting = createBrowser(url);
  await waiting.signIn(email);
  const headers = { cookie: `${attacker.cookie()}; ${waiting.cookie()}` };
  const body = { code: "000000" };
  await attacker.call("POST", "/api/auth/two-factor/verify-totp", body, headers);
  const count = accounts.prepare("SELECT failedVerificationCount FROM twoFactor").pluck().get();
  expect(count).toBe(1);
});

test.each([
  { change: "another password", to: "substr(password, 1, length(password) - 4) || '0000'" },
  { change: "a hash that cannot be checked", to: "'?'" },
])(
  "a sign-in during which the password changes leaves no session and begins no second step: $change",
  async ({ to }) => {
    const { url, owner, accounts } = await startWithFactor();
    await owner.call("POST", "/api/auth/sign-out", {});
    accounts.exec(`CREATE TRIGGER reset AFTER INSERT ON session BEGIN
    UPDATE account SET password = ${to}; END`);
    const browser = createBrowser(url);
    const response = await browser.signIn(email);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(accounts.prepare("SELECT count(*) FROM session").pluck().get()).toBe(0);
    const pending = "SELECT count(*) FROM verification WHERE identifier LIKE '2fa-%'";
    expect(accounts.prepare(pending).pluck().get()).toBe(0);
  },
);

const newest = (mails: readonly Mail[], subject: string) =>
  mails.findLast((mail) => mail.subject.includes(subject));

test.each([
  {
    change: "a password reset",
    async make(url: string, mails: readonly Mail[]) {
      const browser = createBrowser(url);
      await browser.call("POST", "/api/auth/request-password-reset", { email });
      const token = tokenIn(newest(mails, "Choose a new password"));
      const body = { token, newPassword: "the owner's own words" };
      return browser.call("POST", "/api/auth/reset-password", body);
    },
  },
  {
    change: "an undo",
    make(url: string, mails: readonly Mail[]) {
      const link = new URL(linkIn(newest(mails, "Second factor turned on")));
      const body = Object.fromEntries(new URLSearchParams(link.hash.slice(1)));
      return createBrowser(url).call("POST", "/api/auth/undo", body);
    },
  },
])("$change leaves no session that was created while it was stored", async ({ make }) => {
  const { url, mails, accounts } = await startWithFactor();
  const time = "'2999-01-01T00:00:00.000Z'";
  accounts.exec(`CREATE TRIGGER late AFTER UPDATE OF password ON account BEGIN
    INSERT INTO session (id, token, userId, expiresAt, createdAt, updatedAt)
    VALUES ('late', 'late', NEW.userId, ${time}, ${time}, ${time}); END`);
  expect((await make(url, mails)).status).toBe(200);
  expect(accounts.prepare("SELECT count(*) FROM session").pluck().get()).toBe(0);
});

test("a sign-in that sends the cookie of an ended session is reported as a sign-in", async () => {
  const { url, mails, owner, app } = await startWithFactor();
  const ended = owner.cookie();
  await owner.call("POST", "/api/auth/sign-out", {});
  const browser = createBrowser(url);
  await browser.signIn(email);
  const headers = { cookie: `${ended}; ${browser.cookie()}` };
  const body = { code: app.next() };
  const response = await browser.call("POST", "/api/auth/two-factor/verify-totp", body, headers);
  expect(response.status).toBe(200);
  // The notice of a factor that was turned on has a link that removes the factor.
  const subjects = mails.map(({ subject }) => subject);
  expect(subjects.filter((one) => one === "Second factor turned on")).toHaveLength(1);
});
