import { request } from "node:http";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { allTests } from "../../../../scripts/all-tests.js";
import { createBrowser, linkIn, startServerWithMail, tokenIn } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import type { Mail } from "./mail/send-mail.js";

useCheapScrypt();

const operatorsPath = "/api/v1/operator/devices";

/** Spellings that a proxy or a URL parser reduces to the same path. */
const spellings = [
  "/api/auth/verify-email",
  "/api/auth/verify-email/",
  "/api/auth/./verify-email",
  "/api/auth/x/../verify-email",
  "/api/auth/%2e/verify-email",
  "/api/auth//verify-email",
  "/api/auth/verify%2Demail",
  "/API/auth/verify-email",
  "/api/auth/verify-email%2F",
];

/** Sends a path unchanged. `fetch` would resolve its dots. */
const send = (url: string, method: string, path: string, cookie: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const headers = { cookie, "x-forwarded-for": "198.51.100.7" };
    request({ hostname, port, method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

test("a GET of the mailed link makes nobody an operator, however its path is spelled", async () => {
  const { url, mails } = await startServerWithMail({ OPERATOR_EMAILS: "olga@example.com" });
  const attacker = createBrowser(url);
  await attacker.signUp("olga@example.com");
  const token = tokenIn(mails[0]);
  expect(token).not.toBe("");
  const query = `?token=${token}&callbackURL=%2F`;
  const link = linkIn(mails[0]).slice(url.length).replace(/#.*/, "");
  for (const path of [link, ...spellings.map((spelling) => spelling + query)]) {
    for (const method of ["GET", "HEAD"]) {
      await send(url, method, path, "");
      await send(url, method, path, attacker.cookie());
    }
    const { status } = await attacker.call("GET", operatorsPath);
    expect([path, status]).toEqual([path, 403]);
  }
});

test("wrong passwords for a link are limited, and the link stays valid", async () => {
  // On a busy machine, the attempts would otherwise take longer than the window of the limit.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url, mails } = await startServerWithMail();
  await createBrowser(url).signUp("ann@example.com");
  const guesser = createBrowser(url);
  const statuses = [];
  for (let i = 0; i < 5; i++) {
    statuses.push((await guesser.verify(mails[0], `wrong password ${i}`)).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect((await createBrowser(url).verify(mails[0])).status).toBe(200);
  const again = await createBrowser(url).verify(mails[0]);
  expect([again.status, (await again.json()).code]).toEqual([400, "INVALID_TOKEN"]);
});

test("verification ends all earlier sessions and starts a new one", async () => {
  const { url, mails } = await startServerWithMail();
  const devices = "/api/v1/dashboard/devices";
  const before = createBrowser(url);
  const response = await before.signUp("ann@example.com");
  const token = decodeURIComponent(response.headers.get("set-auth-token") ?? "");
  const verifying = createBrowser(url);
  expect((await verifying.verify(mails[0])).status).toBe(200);
  expect((await before.call("GET", devices)).status).toBe(401);
  const byToken = await fetch(url + devices, { headers: { authorization: `Bearer ${token}` } });
  expect(byToken.status).toBe(401);
  expect((await verifying.call("GET", devices)).status).toBe(200);
});

type Step = "attacker signs up" | "victim signs up" | "victim verifies" | "victim resets";
const steps: readonly Step[] = [
  "attacker signs up",
  "victim signs up",
  "victim verifies",
  "victim resets",
];

const permute = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) =>
        permute(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
      );

/** Every order starts with a sign-up, because the other steps do nothing without an account. */
const orders = permute(steps)
  .filter(([first]) => first?.endsWith("signs up"))
  .map((order, i) => ({ order, email: `operator-${i}@example.com` }));
const attackerPassword = "chosen by the attacker";
const victimPassword = "chosen by the victim";

interface Target {
  readonly url: string;
  readonly mails: readonly Mail[];
}

/** Runs the steps in one order. After each step, a mail scanner opens the links and the attacker tries to get in. */
async function runOrder({ url, mails }: Target, order: readonly Step[], email: string) {
  const mailsTo = () => mails.filter(({ to }) => to === email);
  const newest = (subject: string) => mailsTo().findLast((mail) => mail.subject.includes(subject));
  const post = (path: string, body: object) =>
    createBrowser(url).call("POST", `/api/auth${path}`, body);
  const signUp = async (name: string, password: string) => {
    const browser = createBrowser(url);
    const body = { email, name, password };
    return { browser, response: await browser.call("POST", "/api/auth/sign-up/email", body) };
  };
  const reset = async () => {
    await post("/request-password-reset", { email });
    const token = tokenIn(newest("password"));
    return post("/reset-password", { token, newPassword: victimPassword });
  };

  const attackerBrowsers: ReturnType<typeof createBrowser>[] = [];
  const run: Record<Step, () => Promise<unknown>> = {
    "attacker signs up": async () => {
      const { browser, response } = await signUp("Mallory", attackerPassword);
      if (response.ok) attackerBrowsers.push(browser);
    },
    "victim signs up": () => signUp("Olga", victimPassword),
    "victim verifies": () => createBrowser(url).verify(newest("Verify"), victimPassword),
    "victim resets": reset,
  };
  let scanned = 0;
  const scan = async () => {
    for (const mail of mailsTo().slice(scanned)) {
      scanned++;
      const token = tokenIn(mail);
      await fetch(linkIn(mail));
      await fetch(`${url}/api/auth/verify-email?token=${token}`, { redirect: "manual" });
      await fetch(`${url}/api/auth/reset-password/${token}?callbackURL=/`, { redirect: "manual" });
    }
  };
  const attack = async () => {
    if (attackerBrowsers.length === 0) return;
    const again = createBrowser(url);
    await again.signIn(email, attackerPassword);
    attackerBrowsers.push(again);
    for (const browser of attackerBrowsers) {
      const { account } = await (await browser.call("GET", "/api/site")).json();
      expect([order, account?.emailVerified ?? false]).toEqual([order, false]);
      expect([order, (await browser.call("GET", operatorsPath)).status]).not.toContain(200);
    }
  };

  for (const step of order) {
    await run[step]();
    await scan();
    await attack();
  }
  // In every order, the victim can get in.
  const victim = createBrowser(url);
  if ((await victim.signIn(email, victimPassword)).status !== 200) {
    expect([order, (await reset()).status]).toEqual([order, 200]);
    expect([order, (await victim.signIn(email, victimPassword)).status]).toEqual([order, 200]);
  }
  const readAccount = async () =>
    (await (await victim.call("GET", "/api/site")).json()).account as Record<string, unknown>;
  if (!(await readAccount())["emailVerified"]) {
    await post("/send-verification-email", { email });
    await victim.verify(newest("Verify"), victimPassword);
  }
  const account = await readAccount();
  expect([order, account]).toMatchObject([order, { emailVerified: true, operator: true }]);
  expect([order, account["name"]]).not.toContain("Mallory");
  await attack();
  for (const browser of attackerBrowsers) {
    expect([order, (await browser.call("GET", operatorsPath)).status]).toEqual([order, 401]);
  }
}

const workers = 4;

test.each([
  ["SQLite", orders],
  // The server does the same on both databases.
  ["Postgres", allTests ? orders : orders.filter((_, n) => n % 4 === 0)],
] as const)(
  "on %s an attacker who signs up with an operator's address never gets in, and the operator always does, in any order of events",
  async (kind, tried) => {
    let DATABASE_URL: string | undefined;
    if (kind === "Postgres") {
      const database = await createTemporaryDatabase(inject("postgresUrl"));
      onTestFinished(database.remove);
      DATABASE_URL = database.url;
    }
    const OPERATOR_EMAILS = tried.map(({ email }) => email).join(",");
    const target = await startServerWithMail({ OPERATOR_EMAILS, DATABASE_URL });
    const waiting = [...tried];
    const runWorker = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await runOrder(target, next.order, next.email);
      }
    };
    await Promise.all(Array.from({ length: workers }, runWorker));
  },
);
