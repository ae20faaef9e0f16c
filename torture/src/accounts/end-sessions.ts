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
import { type AccountBrowser, type AccountScene, signInFromElsewhere } from "./account-scene.js";

/** Headers of a request that another site makes in the user's browser. */
const fromOtherSites: readonly Readonly<Record<string, string>>[] = [
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { "sec-fetch-site": "same-site", origin: "https://evil.example" },
  { origin: "null" },
];

/**
 * Calls every endpoint that ends sessions or deletes an account, in every spelling and disguise: without a session and
 * in another account's session with the victim's session token, and with the victim's own cookie from another site. The
 * victim must stay signed in.
 */
export async function endOthersSessions(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  dice: Dice,
  { long = false }: AttackOptions,
  findings: Findings,
): Promise<ReportLine> {
  const email = "kept@example.com";
  const other = { email: "ender@example.com", password };
  const victim = await scene.signUp(email, { verified: true });
  const attacker = await scene.signUp(other.email, { verified: true });
  const token = async () => {
    const reply = await victim.call("GET", "/api/auth/get-session");
    return ((await reply.json()) as { session?: { token: string } } | null)?.session?.token ?? "";
  };
  let requests = 0;
  const send = async (
    route: AccountRoute,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: object,
  ) => {
    requests += 1;
    const { status } = await sendExactly(scene.url, {
      method: route.method,
      path,
      headers: {
        origin: scene.url,
        "content-type": "application/json",
        "x-forwarded-for": newAddress(),
        ...headers,
      },
      body: route.method === "GET" ? undefined : JSON.stringify(body),
    });
    const what = `${route.method} ${path} ${JSON.stringify({ ...headers, cookie: undefined })}`;
    if (status >= 500) findings.add(`${what} is ${status}`);
    if ((await scene.readAccount(victim)) !== null) return;
    findings.add(`${what} ended another's session`);
    await signInFromElsewhere(victim, { email, password });
  };
  const signedIn = async (browser: AccountBrowser) => {
    if ((await scene.readAccount(browser)) === null) await signInFromElsewhere(browser, other);
    return browser.cookie();
  };
  for (const route of routes.filter(endsSession)) {
    const body = { ...fillBody(route, {}), token: await token(), password };
    for (const { path, disguise } of variantsOf(route, dice, long)) {
      await send(route, path, disguise, body);
      // Attackers may end their own session and even delete their own account, but no other.
      if (route.path.startsWith("/delete-user")) continue;
      await send(route, path, { cookie: await signedIn(attacker), ...disguise }, body);
    }
    for (const headers of fromOtherSites)
      await send(route, `/api/auth${route.path}`, { cookie: victim.cookie(), ...headers }, body);
  }
  return {
    what: "requests that end another's session",
    rounds: requests,
    result: findings.violations.length === 0 ? "none" : "see below",
    bar: "none",
  };
}
