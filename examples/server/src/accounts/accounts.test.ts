import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { customer } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import {
  createBrowser,
  linkIn,
  password,
  startServerWithMail,
  tokenIn,
} from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";

useCheapScrypt();

const device = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" };
const claimCode = "ABCD-EFGH";
const devicesPath = "/api/v1/dashboard/devices";

async function registerDevice(url: string) {
  (await createDeviceClient({ baseUrl: url }).register({ ...device, claimCode }))._unsafeUnwrap();
}

test("§3 a new user can claim a device after verifying the address, and not before", async () => {
  const { url, mails } = await startServerWithMail();
  await registerDevice(url);
  const browser = createBrowser(url);
  expect((await browser.call("GET", devicesPath)).status).toBe(401);
  expect((await browser.signUp("ann@example.com", "/claim?device=gw-1&code=X")).status).toBe(200);
  expect((await browser.call("GET", devicesPath)).status).toBe(200);

  const refused = await browser.claim("gw-1", claimCode);
  expect([refused.status, (await refused.json()).code]).toEqual([403, "email_not_verified"]);

  expect(mails).toMatchObject([{ to: "ann@example.com", subject: "Verify your e-mail address" }]);
  const { pathname, search, hash } = new URL(linkIn(mails[0]));
  expect([pathname, search]).toEqual(["/verify-email", ""]);
  const carried = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  expect(carried).toMatchObject({ next: "/claim?device=gw-1&code=X", email: "ann@example.com" });
  expect((await browser.verify(mails[0])).status).toBe(200);
  const claimed = await browser.claim("gw-1", claimCode);
  expect(await claimed.json()).toMatchObject({ deviceId: "gw-1", status: "claimed" });
});

test("§0 a request from another site changes nothing, even with the user's cookie", async () => {
  const { url } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp("ann@example.com");
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const renamed = await browser.call("PATCH", `${devicesPath}/gw-1`, { name: "x" }, foreign);
  expect((await renamed.json()).code).toBe("cross_site");
  const token = await browser.call("POST", "/api/auth/token", undefined, foreign);
  expect(token.status).toBe(403);
  const signIn = { email: "ann@example.com", password };
  expect((await browser.call("POST", "/api/auth/sign-in/email", signIn, foreign)).status).toBe(403);
});

test("only operators find out which account has an id or an address", async () => {
  const email = "olga@example.com";
  const { url, mails } = await startServerWithMail({ OPERATOR_EMAILS: email });
  const [operator, customer] = [createBrowser(url), createBrowser(url)];
  await operator.signUp(email);
  await customer.signUp("ann@example.com");
  const find = (browser: typeof operator, query: string) =>
    browser.call("GET", `/api/site/people?${query}`);
  // Signing up first with an operator's address does not make the user an operator.
  for (const browser of [operator, customer, createBrowser(url)]) {
    expect((await find(browser, "email=ann@example.com")).status).toBe(403);
  }
  await operator.verify(mails.find(({ to }) => to === email));
  const { people } = await (await find(operator, "email=Ann@Example.com")).json();
  expect(people).toEqual([{ id: expect.any(String), email: "ann@example.com" }]);
  const byId = await find(operator, `id=${people[0].id}&id=unknown&id=${people[0].id}`);
  expect(await byId.json()).toEqual({ people });
  expect(await (await find(operator, "")).json()).toEqual({ people: [] });
});

test("a session works as a bearer token for the API until sign-out", async () => {
  const { url } = await startServerWithMail();
  const browser = createBrowser(url);
  const { token } = await (await browser.signUp("ann@example.com")).clone().json();
  // 62 ^ 32 possible tokens: 190 bits.
  expect(token).toMatch(/^[A-Za-z0-9]{32}$/);
  const signed = (await browser.signIn("ann@example.com")).headers.get("set-auth-token") ?? "";
  const list = async (bearer: string) =>
    (await fetch(url + devicesPath, { headers: { authorization: `Bearer ${bearer}` } })).status;
  expect(await list(decodeURIComponent(signed))).toBe(200);
  expect(signed, "each sign-in has a session of its own").not.toContain(token);
  // The session's token in the database is not signed, so it does not authenticate.
  expect(await list(token)).toBe(401);
  expect((await browser.call("POST", "/api/auth/sign-out", {})).status).toBe(200);
  expect(await list(decodeURIComponent(signed))).toBe(401);
  expect((await browser.signIn("ann@example.com", "wrong password")).status).toBe(401);
});

test("servers that share a Postgres database share accounts and sessions", async () => {
  const { url: DATABASE_URL, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  const a = await startServerWithMail({ DATABASE_URL });
  const b = await startServerWithMail({ DATABASE_URL, DATA_DIR: a.settings.DATA_DIR });
  await registerDevice(b.url);
  const browser = createBrowser(a.url);
  await createBrowser(b.url).signUp("ann@example.com");
  // The link points to the server that sent it, but every server accepts its token.
  expect((await browser.verify(b.mails[0])).status).toBe(200);
  expect((await (await browser.claim("gw-1", claimCode)).json()).status).toBe("claimed");
  const { token } = await (await browser.call("POST", "/api/auth/token")).json();
  const list = async (url: string) => {
    const response = await fetch(url + devicesPath, {
      headers: { authorization: `Bearer ${token}` },
    });
    return response.ok ? (await response.json()).devices.length : response.status;
  };
  expect([await list(a.url), await list(b.url)]).toEqual([1, 1]);
  await browser.call("POST", "/api/auth/sign-out", {});
  expect([await list(a.url), await list(b.url)]).toEqual([401, 401]);
});

test("a user becomes an operator by verifying one of the operators' addresses", async () => {
  const OPERATOR_EMAILS = "olga@example.com";
  const { url, mails } = await startServerWithMail({ OPERATOR_EMAILS });
  const browser = createBrowser(url);
  await browser.signUp("Olga@example.com");
  const listAll = async () => (await browser.call("GET", "/api/v1/operator/devices")).status;
  expect(await listAll()).toBe(403);
  await browser.verify(mails[0]);
  expect(await listAll()).toBe(200);
});

test("the alert rules of an account are deleted with it", async () => {
  const { url, mails, gateway } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp("ann@example.com");
  await browser.verify(mails[0]);
  const { user } = await (await browser.call("GET", "/api/auth/get-session")).json();
  const ann = gateway.as(customer({ id: String(user.id), emailVerified: true }));
  const rule = { name: "Silent", condition: { kind: "silent", intervals: 10 } } as const;
  (await ann.createAlertRule({ body: rule }))._unsafeUnwrap();
  const removal = await browser.call("POST", "/api/auth/delete-user", { password });
  expect(removal.status).toBe(200);
  expect((await ann.listAlertRules())._unsafeUnwrap().body.rules).toEqual([]);
});

test("the webhooks of an account are deleted with it, also after WEBHOOKS_OF_OWNERS was turned off", async () => {
  const on = { WEBHOOKS: true, WEBHOOKS_OF_OWNERS: true };
  const first = await startServerWithMail(on);
  const { DATA_DIR } = first.settings;
  const browser = createBrowser(first.url);
  await browser.signUp("ann@example.com");
  await browser.verify(first.mails[0]);
  const { user } = await (await browser.call("GET", "/api/auth/get-session")).json();
  const ann = customer({ id: String(user.id), emailVerified: true });
  const body = { url: "https://example.com/hook" };
  (await first.gateway.as(ann).createWebhook({ body }))._unsafeUnwrap();
  await first.stop();

  const off = await startServerWithMail({ DATA_DIR });
  const later = createBrowser(off.url);
  await later.signIn("ann@example.com");
  const removal = await later.call("POST", "/api/auth/delete-user", { password });
  expect(removal.status).toBe(200);
  await off.stop();

  const { gateway } = await startServerWithMail({ DATA_DIR, ...on });
  expect((await gateway.as(ann).listWebhooks())._unsafeUnwrap().body.webhooks).toEqual([]);
});

test("a password reset by mail sets the new password and ends all sessions", async () => {
  const { url, mails } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp("ann@example.com");
  const requestReset = (email: string) =>
    createBrowser(url).call("POST", "/api/auth/request-password-reset", {
      email,
      redirectTo: "/reset-password",
    });
  const [known, unknown] = [
    await requestReset("ann@example.com"),
    await requestReset("nobody@example.com"),
  ];
  expect(await known.text()).toBe(await unknown.text());
  const mail = mails.find(({ subject }) => subject.includes("password"));
  expect(linkIn(mail)).toMatch(`${url}/reset-password#`);
  const token = tokenIn(mail);
  const newPassword = "another long password";
  const stranger = createBrowser(url);
  const reset = await stranger.call("POST", "/api/auth/reset-password", { newPassword, token });
  expect(reset.status).toBe(200);
  expect((await browser.call("GET", devicesPath)).status).toBe(401);
  expect((await stranger.signIn("ann@example.com", newPassword)).status).toBe(200);
});

test("password guesses from one client address are limited, whatever headers it forges", async () => {
  // On a busy machine, the attempts would otherwise take longer than the window of the limit.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url } = await startServerWithMail({ TRUSTED_PROXIES: 0 });
  const answers = [];
  for (let i = 0; i < 5; i++) {
    const forged = {
      "x-forwarded-for": `203.0.113.${i}`,
      "x-device-gateway-client-address": `${i}`,
    };
    const body = { email: "ann@example.com", password };
    const response = await createBrowser(url).call("POST", "/api/auth/sign-in/email", body, forged);
    answers.push([response.status, response.headers.get("retry-after")]);
  }
  const wrong = [401, null];
  const refused = [429, "10"];
  expect(answers).toEqual([wrong, wrong, wrong, refused, refused]);
});

test("the demo customer is an operator, and the server writes its token to a file for commands", async () => {
  const { url, demoUrl, settings } = await startServerWithMail({ DEMO: true, TRUSTED_PROXIES: 0 });
  const body = { token: demoUrl?.split("#demo=")[1] };
  const browser = createBrowser(url, { proxied: false });
  expect((await browser.call("POST", "/api/auth/demo", body)).status).toBe(200);
  expect((await browser.call("GET", "/api/v1/operator/devices")).status).toBe(200);
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await browser.call("POST", "/api/auth/demo", body, foreign)).status).toBe(403);

  const file = join(settings.DATA_DIR, "demo-customer.token");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const authorization = `Bearer ${(await readFile(file, "utf8")).trim()}`;
  expect((await fetch(url + devicesPath, { headers: { authorization } })).status).toBe(200);
});

test.each([
  ["without the demo", { TRUSTED_PROXIES: 0 }],
  [
    "with a public URL",
    { DEMO: true, PUBLIC_URL: "https://gateway.example.com", TRUSTED_PROXIES: 0 },
  ],
  ["on all addresses", { DEMO: true, HOST: "0.0.0.0", TRUSTED_PROXIES: 0 }],
  ["behind a proxy", { DEMO: true, TRUSTED_PROXIES: 1 }],
])("there is no demo customer %s", async (_, settings) => {
  const { url } = await startServerWithMail(settings);
  expect((await createBrowser(url, { proxied: false }).call("POST", "/api/auth/demo")).status).toBe(
    404,
  );
  expect((await createBrowser(url).call("GET", "/api/demo/mails")).status).toBe(404);
  expect(await (await createBrowser(url).call("GET", "/api/site")).json()).toMatchObject({
    demo: null,
  });
});
