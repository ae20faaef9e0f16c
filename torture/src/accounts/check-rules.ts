import type { AttackOptions, Findings } from "../attack.js";
import type { Dice } from "../dice.js";
import type { ReportLine } from "../report.js";
import { separationOf } from "../timing/auc.js";
import { type AccountRoute, fillBody, sendExactly } from "./account-requests.js";
import type { AccountScene } from "./account-scene.js";

/** A sign-up says that an address is taken: SECURITY.md lists this under the known disclosures. */
const disclosing = /^\/sign-up\//;

/** Sends each endpoint that takes an address, with one that has an account and one that has none. */
export async function compareAnswers(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  { long = false, rounds = 1_000 }: AttackOptions,
  findings: Findings,
): Promise<ReportLine[]> {
  const known = "known@example.com";
  await scene.signUp(known, { verified: true });
  let address = 0;
  const ask = async (route: AccountRoute, email: string) => {
    address += 1;
    const body = { ...fillBody(route, {}), email, password: "a wrong password" };
    return sendExactly(scene.url, {
      method: route.method,
      path: `/api/auth${route.path}`,
      headers: {
        origin: scene.url,
        "content-type": "application/json",
        "x-forwarded-for": [10, (address >> 16) & 255, (address >> 8) & 255, address & 255].join(
          ".",
        ),
      },
      body: JSON.stringify(body),
    });
  };
  const taking = routes.filter(({ body, path }) => "email" in body && !disclosing.test(path));
  const lines: ReportLine[] = [];
  for (const route of taking) {
    const [one, other] = [await ask(route, known), await ask(route, "unknown@example.com")];
    if (one.status !== other.status || one.text !== other.text)
      findings.add(
        `${route.path} reveals accounts: ${one.status} ${one.text}, ${other.status} ${other.text}`,
      );
    if (!long) continue;
    const times: [number[], number[]] = [[], []];
    for (let pair = 0; pair < rounds; pair++) {
      for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const email = which === 0 ? known : `unknown-${pair}@example.com`;
        times[which].push((await ask(route, email)).milliseconds);
      }
    }
    const { auc, upper } = separationOf(...times);
    lines.push({
      what: `${route.path}: an account or none, by time`,
      ...{ rounds, result: `AUC ${auc.toFixed(3)}, bound ${upper.toFixed(3)}` },
      bar: "reported only",
    });
  }
  lines.unshift({
    what: "answers that tell an account from none",
    ...{
      rounds: taking.length,
      result: taking.map(({ path }) => path).join(" "),
      bar: "identical",
    },
  });
  return lines;
}

const badTexts = ["a\r\nBcc: x@example.com", "\u001b[2J", "\u202e", "\0", "\ud800"];

/** Sets a common password and a text with control characters by each endpoint that takes one. */
export async function sendBadTexts(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  dice: Dice,
  { long = false }: AttackOptions,
  findings: Findings,
): Promise<ReportLine> {
  const email = "texts@example.com";
  const password = "correct horse battery";
  const owner = await scene.signUp(email, { verified: true });
  const before = await scene.read();
  let requests = 0;
  for (const route of routes) {
    // These end the session that the others need.
    if (route.method === "GET" || /sign-out|revoke|delete-user/.test(route.path)) continue;
    const fields = Object.keys(route.body);
    const setsPassword = "newPassword" in route.body || disclosing.test(route.path);
    if (setsPassword) {
      const common = { newPassword: "password12345", currentPassword: password };
      const chosen = disclosing.test(route.path)
        ? { ...common, password: "password12345" }
        : common;
      const reply = await owner.call("POST", `/api/auth${route.path}`, fillBody(route, chosen));
      requests += 1;
      if (reply.ok) findings.add(`${route.path} accepts a common password`);
    }
    for (const field of fields) {
      for (const text of long ? badTexts : [dice.pick(badTexts)]) {
        const body = { ...fillBody(route, { email, password }), [field]: text };
        const reply = await owner.call("POST", `/api/auth${route.path}`, body);
        requests += 1;
        if (reply.status >= 500)
          findings.add(`${route.path} with ${JSON.stringify({ [field]: text })}: ${reply.status}`);
      }
    }
  }
  const after = await scene.read();
  // Changes are allowed, such as of the name. Control characters are not, in the database or in a mail.
  if (after !== before && /\\u00(?:00|1b)|\\r|\u202e/.test(after))
    findings.add("a control character reached the accounts");
  for (const { to, subject, text } of scene.mails) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the test looks for.
    if (/[\0\r\u001b\u202e]/.test(to + subject + text))
      findings.add(`a control character reached a mail to ${to}`);
  }
  return {
    what: "common passwords and control characters",
    rounds: requests,
    result: "sent",
    bar: "none accepted",
  };
}

const day = 86_400_000;

/** Checks how long sessions last: a week without use, 30 days in use. */
export async function outliveSessions(
  scene: AccountScene,
  findings: Findings,
): Promise<ReportLine> {
  const used = await scene.signUp("used@example.com", { verified: true });
  const idle = await scene.signUp("idle@example.com", { verified: true });
  for (let age = 6; age < 30; age += 6) {
    await scene.age(6 * day);
    if ((await scene.readAccount(used)) === null)
      findings.add(`a session in use ends after ${age} days`);
    if (age > 7 && (await scene.readAccount(idle)) !== null)
      findings.add(`an idle session lasts ${age} days`);
  }
  await scene.age(6 * day);
  if ((await scene.readAccount(used)) !== null)
    findings.add("a session in use lasts longer than 30 days");
  return {
    what: "sessions",
    rounds: 2,
    result: "7 days idle, 30 days in use",
    bar: "7 and 30 days",
  };
}
