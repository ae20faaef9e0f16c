import { request } from "node:http";
import { expect, inject, onTestFinished, test } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { createBrowser, linkIn, startServerWithMail, tokenIn } from "../testing/account.js";
import type { Mail } from "./send-mail.js";

const operatorsPath = "/api/v1/operator/devices";

/** Spellings of a path that a proxy or a URL parser reduces to the same one. */
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

/** Sends a path as it is written; `fetch` would resolve its dots. */
const send = (url: string, method: string, path: string, cookie: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const headers = { cookie, "x-forwarded-for": "198.51.100.7" };
    request({ hostname, port, method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });

test("a GET of the mailed link makes nobody an operator, whatever the spelling of its path", async () => {
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

test("a wrong password for a link is slowed down, and the link stays good", async () => {
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

test("verifying ends the sessions of before, and gives a fresh one", async () => {
  const { url, mails } = await startServerWithMail();
  const devices = "/api/v1/dashboard/devices";
  const before = createBrowser(url);
  const answer = await before.signUp("ann@example.com");
  const token = decodeURIComponent(answer.headers.get("set-auth-token") ?? "");
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

/** Before anybody signs up there is no account, and the other steps do nothing. */
const orders = permute(steps)
  .filter(([first]) => first?.endsWith("signs up"))
  .map((order, i) => ({ order, email: `operator-${i}@example.com` }));
const attackersWord = "chosen by the attacker";
const victimsWord = "chosen by the victim";

interface Target {
  readonly url: string;
  readonly mails: readonly Mail[];
}

/** Lets the steps happen in an order; the attacker and a mail scanner try their luck after each. */
async function playOrder({ url, mails }: Target, order: readonly Step[], email: string) {
  const mailsTo = () => mails.filter(({ to }) => to === email);
  const newest = (subject: string) => mailsTo().findLast((mail) => mail.subject.includes(subject));
  const post = (path: string, body: object) =>
    createBrowser(url).call("POST", `/api/auth${path}`, body);
  const signUp = async (name: string, password: string) => {
    const browser = createBrowser(url);
    const body = { email, name, password };
    return { browser, answer: await browser.call("POST", "/api/auth/sign-up/email", body) };
  };
  const reset = async () => {
    await post("/request-password-reset", { email });
    const token = tokenIn(newest("password"));
    return post("/reset-password", { token, newPassword: victimsWord });
  };

  const held: ReturnType<typeof createBrowser>[] = [];
  const play: Record<Step, () => Promise<unknown>> = {
    "attacker signs up": async () => {
      const { browser, answer } = await signUp("Mallory", attackersWord);
      if (answer.ok) held.push(browser);
    },
    "victim signs up": () => signUp("Olga", victimsWord),
    "victim verifies": () => createBrowser(url).verify(newest("Verify"), victimsWord),
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
    if (held.length === 0) return;
    const again = createBrowser(url);
    await again.signIn(email, attackersWord);
    held.push(again);
    for (const browser of held) {
      const { account } = await (await browser.call("GET", "/api/site")).json();
      expect([order, account?.emailVerified ?? false]).toEqual([order, false]);
      expect([order, (await browser.call("GET", operatorsPath)).status]).not.toContain(200);
    }
  };

  for (const step of order) {
    await play[step]();
    await scan();
    await attack();
  }
  // The victim gets in, whatever happened before.
  const victim = createBrowser(url);
  if ((await victim.signIn(email, victimsWord)).status !== 200) {
    expect([order, (await reset()).status]).toEqual([order, 200]);
    expect([order, (await victim.signIn(email, victimsWord)).status]).toEqual([order, 200]);
  }
  const readAccount = async () =>
    (await (await victim.call("GET", "/api/site")).json()).account as Record<string, unknown>;
  if (!(await readAccount())["emailVerified"]) {
    await post("/send-verification-email", { email });
    await victim.verify(newest("Verify"), victimsWord);
  }
  const account = await readAccount();
  expect([order, account]).toMatchObject([order, { emailVerified: true, operator: true }]);
  expect([order, account["name"]]).not.toContain("Mallory");
  await attack();
  for (const browser of held) {
    expect([order, (await browser.call("GET", operatorsPath)).status]).toEqual([order, 401]);
  }
}

const lanes = 4;

test.each(["SQLite", "Postgres"])(
  "on %s an attacker who signs up with an operator's address gets in under no order of events, and the operator always does",
  { timeout: 300_000 },
  async (kind) => {
    let DATABASE_URL: string | undefined;
    if (kind === "Postgres") {
      const database = await createTemporaryDatabase(inject("postgresUrl"));
      onTestFinished(database.remove);
      DATABASE_URL = database.url;
    }
    const OPERATOR_EMAILS = orders.map(({ email }) => email).join(",");
    const target = await startServerWithMail({ OPERATOR_EMAILS, DATABASE_URL });
    const waiting = [...orders];
    const playLane = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await playOrder(target, next.order, next.email);
      }
    };
    await Promise.all(Array.from({ length: lanes }, playLane));
  },
);
