import { password } from "../../../examples/server/src/testing/account-browser.js";
import type { AttackOptions, Findings } from "../attack.js";
import type { Dice } from "../dice.js";
import type { ReportLine } from "../report.js";
import {
  type AccountRoute,
  endsSession,
  fillBody,
  newAddress,
  sendExactly,
  variantsOf,
} from "./account-requests.js";
import { type AccountScene, operatorEmail } from "./account-scene.js";

const victimEmail = "victim@example.com";
const bodyLimit = 16_384;
/** What a session may do at any age: change the name and the picture. */
const harmless = new Set(["/update-user"]);

/**
 * Calls every endpoint in every disguise: without a session, in a session whose address is not verified, and in a
 * session that is too old to change the account. Nothing of any account may change, nobody may become an operator, no
 * mail may point elsewhere, and nothing may fail with a 5xx.
 */
export async function tryRoutes(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  dice: Dice,
  { long = false }: AttackOptions,
  findings: Findings,
): Promise<ReportLine> {
  const { url } = scene;
  await scene.signUp(victimEmail, { verified: true });
  const stale = await scene.signUp("stale@example.com", { verified: true });
  await scene.age(11 * 60_000);
  const unverified = await scene.signUp(operatorEmail);
  const actors = {
    nobody: "",
    "an unverified account": unverified.cookie(),
    "an old session": stale.cookie(),
  };
  // The correct password: only the rules under attack may refuse, not a wrong password.
  const fields = {
    ...{ email: victimEmail, newEmail: "moved@example.com", name: "Mallory" },
    ...{ password, currentPassword: password, newPassword: "another good password" },
  };
  const before = await scene.read();
  let requests = 0;
  for (const route of routes) {
    for (const [who, cookie] of Object.entries(actors)) {
      if (harmless.has(route.path) && who === "an old session") continue;
      // A session may end itself at any age. `endOthersSessions` attacks these endpoints.
      if (endsSession(route) && !route.path.startsWith("/delete-user") && cookie !== "") continue;
      for (const { path, disguise } of variantsOf(route, dice, long)) {
        const what = `${route.method} ${path} as ${who} ${JSON.stringify(disguise)}`;
        const headers = {
          origin: url,
          "content-type": "application/json",
          "x-forwarded-for": newAddress(),
          ...(cookie !== "" && { cookie }),
          ...disguise,
        };
        const body = route.method === "GET" ? undefined : JSON.stringify(fillBody(route, fields));
        const reply = await sendExactly(url, { method: route.method, path, headers, body });
        requests += 1;
        if (reply.status >= 500) findings.add(`${what} is ${reply.status}: ${reply.text}`);
      }
    }
    if ((await scene.read()) !== before) {
      findings.add(`${route.method} ${route.path} changed an account`);
      return { what: "every endpoint", rounds: requests, result: "stopped", bar: "no change" };
    }
    const large = `{"x":"${"y".repeat(bodyLimit)}"}`;
    const headers = {
      origin: url,
      "content-type": "application/json",
      "x-forwarded-for": newAddress(),
    };
    const { method, path } = route;
    const reply = await sendExactly(url, {
      ...{ method, path: `/api/auth${path}`, headers, body: large },
    });
    requests += 1;
    if (reply.status !== 413)
      findings.add(`${method} ${path} accepts a large body: ${reply.status}`);
  }
  const account = await scene.readAccount(unverified);
  if (account?.operator !== false)
    findings.add(`an unverified account: ${JSON.stringify(account)}`);
  for (const mail of scene.mails) {
    const link = scene.linkIn(mail);
    if (link !== "" && !link.startsWith(`${url}/`)) findings.add(`a mail points to ${link}`);
  }
  const result = findings.violations.length === 0 ? "none" : "see below";
  return {
    what: "endpoints, spellings and headers that change an account",
    rounds: requests,
    result,
    bar: "none",
  };
}

/** Opens every link of every mail, and every endpoint by GET and HEAD with the mails' tokens. Nothing may change. */
export async function scanMails(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  findings: Findings,
): Promise<ReportLine> {
  const owner = await scene.signUp("scanned@example.com", { verified: true });
  await owner.call("POST", "/api/auth/change-email", { newEmail: "scanned-new@example.com" });
  await owner.call("POST", "/api/auth/request-password-reset", { email: "scanned@example.com" });
  await scene.signUp("scanned-unverified@example.com");
  const before = await scene.read();
  let requests = 0;
  const links = scene.mails.filter(({ to }) => to.startsWith("scanned")).map(scene.linkIn);
  for (const link of links) {
    const carried = new URLSearchParams(link.split("#")[1]);
    const token = carried.get("token") ?? "";
    const paths = new Set([link.slice(scene.url.length).split("#")[0] ?? "", "/api/auth/none"]);
    for (const { path } of routes) paths.add(`/api/auth${path.replace(/:\w+/, token)}`);
    for (const path of paths) {
      for (const method of ["GET", "HEAD"]) {
        const headers = { "x-forwarded-for": newAddress() };
        const query = new URLSearchParams({ ...Object.fromEntries(carried), callbackURL: "/" });
        await sendExactly(scene.url, { method, path: `${path}?${query}`, headers });
        requests += 1;
      }
    }
  }
  if ((await scene.read()) !== before) findings.add("a GET of a mailed link changed an account");
  // The links still work: a scanner must not use them up either.
  const first = scene.newest("scanned@example.com", "Confirm the change");
  const fragment = new URLSearchParams(scene.linkIn(first).split("#")[1]);
  const body = Object.fromEntries(fragment);
  const confirmed = await owner.call("POST", "/api/auth/confirm-email", body);
  if (!confirmed.ok) findings.add(`a scanned link no longer works: ${confirmed.status}`);
  const token = scene.tokenIn(scene.newest("scanned@example.com", "Choose a new password"));
  const newPassword = "words of the owner";
  const reset = await owner.call("POST", "/api/auth/reset-password", { token, newPassword });
  if (!reset.ok) findings.add(`a scanned reset no longer works: ${reset.status}`);
  return {
    what: "links that a mail scanner opens",
    rounds: requests,
    result: `${links.length} links`,
    bar: "no change",
  };
}
