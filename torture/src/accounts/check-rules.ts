import type { AttackOptions, Findings } from "../attack.js";
import type { Dice } from "../dice.js";
import type { ReportLine } from "../report.js";
import {
  type AccountRoute,
  endsSession,
  fillBody,
  newAddress,
  signsUp,
} from "./account-requests.js";
import { type AccountScene, signInFromElsewhere } from "./account-scene.js";

const badTexts = ["a\r\nBcc: x@example.com", "\u001b[2J", "\u202e", "\0", "\ud800"];

const resets = ({ path }: AccountRoute) => path === "/reset-password";

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
  // Each from an address of its own. Otherwise the limits of an address would refuse most of them.
  const post = (route: AccountRoute, body: object) =>
    owner.call("POST", `/api/auth${route.path}`, body, { "x-forwarded-for": newAddress() });
  const requestReset = async () => {
    const headers = { "x-forwarded-for": newAddress() };
    await owner.call("POST", "/api/auth/request-password-reset", { email }, headers);
    return scene.tokenIn(scene.newest(email, "Choose a new password"));
  };
  // Those that end the session come last, because the others need it.
  const ordered = [...routes].sort((a, b) => Number(endsSession(a)) - Number(endsSession(b)));
  for (const route of ordered) {
    if (route.method === "GET") continue;
    const fields = Object.keys(route.body);
    const setsPassword = "newPassword" in route.body || signsUp(route);
    if (setsPassword) {
      const common = { newPassword: "password12345", currentPassword: password };
      const chosen = signsUp(route) ? { ...common, password: "password12345" } : common;
      const reset = resets(route) ? { token: await requestReset() } : {};
      const reply = await post(route, fillBody(route, { ...chosen, ...reset }));
      requests += 1;
      if (reply.ok) findings.add(`${route.path} accepts a common password`);
      if (resets(route)) {
        // The control: the token is valid, so that only the password can have been refused. A reset ends all sessions.
        const control = await post(route, fillBody(route, { newPassword: password, ...reset }));
        requests += 1;
        if (!control.ok) findings.add(`${route.path} refuses a mailed token: ${control.status}`);
        await signInFromElsewhere(owner, { email, password });
      }
    }
    for (const field of fields) {
      for (const text of long ? badTexts : [dice.pick(badTexts)]) {
        if (endsSession(route)) await signInFromElsewhere(owner, { email, password });
        const body = { ...fillBody(route, { email, password }), [field]: text };
        const reply = await post(route, body);
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

/** What a client must not choose about its own account. */
const privileges = {
  ...{ emailVerified: true, twoFactorEnabled: true, role: "admin", roles: ["operator"] },
  ...{ id: "chosen", isAdmin: true, createdAt: "2000-01-01T00:00:00.000Z" },
};

/** Signs up, and changes an account, with fields that no client may set. The account must be a new one without privileges. */
export async function claimPrivileges(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  findings: Findings,
): Promise<ReportLine> {
  const setting = routes.filter((route) => signsUp(route) || route.path === "/update-user");
  for (const route of setting) {
    const email = `privileged-${route.path.replaceAll("/", "-")}@example.com`;
    const browser = signsUp(route) ? scene.createBrowser() : await scene.signUp(email);
    const filled = fillBody(route, { email });
    const body = { ...filled, ...privileges };
    await browser.call("POST", `/api/auth${route.path}`, body);
    if ((await scene.readAccount(browser)) === null)
      await signInFromElsewhere(browser, { email, password: String(filled["password"]) });
    const account = JSON.stringify(await scene.readAccount(browser));
    if (/"(?:emailVerified|secondFactor|operator)":true|"chosen"/.test(account))
      findings.add(`${route.path} lets a client choose privileges: ${account}`);
  }
  return {
    what: "fields that no client may set",
    rounds: setting.length,
    result: setting.map(({ path }) => path).join(" "),
    bar: "ignored",
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
