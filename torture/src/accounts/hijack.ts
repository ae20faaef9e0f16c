import type { Findings } from "../attack.js";
import type { Dice } from "../dice.js";
import { type AccountRoute, endsSession, fillBody, newAddress } from "./account-requests.js";
import { type AccountBrowser, type AccountScene, signInFromElsewhere } from "./account-scene.js";

const attackerPassword = "chosen by the attacker";
const victimPassword = "chosen by the victim";

/** Returns the items in a random order. */
const shuffle = <Item>(dice: Dice, items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: dice.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/**
 * An attacker and the owner of an address use the accounts in a random order: sign-up, verification, reset, and for the
 * attacker every endpoint that better-auth has, such as linking, factors and a change of address. The attacker must
 * never act for a verified address, and in the end the owner has an account that is nobody else's.
 */
export async function hijack(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  dice: Dice,
  round: number,
  findings: Findings,
): Promise<void> {
  const email = `owner-${round}@example.com`;
  const own = `attacker-${round}@example.com`;
  const attackers: AccountBrowser[] = [];
  const past: string[] = [];
  const mailsTo = (subject: string) => scene.newest(email, subject);
  const post = (browser: AccountBrowser, path: string, body: object) =>
    browser.call("POST", `/api/auth${path}`, body);
  const signUp = async (name: string, password: string) => {
    const browser = scene.createBrowser();
    const reply = await post(browser, "/sign-up/email", { email, name, password });
    if (reply.ok && name === "Mallory") attackers.push(browser);
  };
  const reset = async () => {
    await post(scene.createBrowser(), "/request-password-reset", { email });
    const token = scene.tokenIn(mailsTo("Choose a new password"));
    const body = { token, newPassword: victimPassword };
    return post(scene.createBrowser(), "/reset-password", body);
  };
  const fields = {
    ...{ email, newEmail: email, password: attackerPassword, currentPassword: attackerPassword },
    ...{ newPassword: attackerPassword, name: "Mallory" },
  };
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    "the attacker signs up": () => signUp("Mallory", attackerPassword),
    "the owner signs up": () => signUp("Olga", victimPassword),
    "the owner verifies": () => scene.createBrowser().verify(mailsTo("Verify"), victimPassword),
    "the owner resets": reset,
    async "the attacker moves an own account to the address"() {
      const browser = await scene.signUp(own, { verified: true });
      attackers.push(browser);
      await post(browser, "/change-email", { newEmail: email });
      const link = scene.linkIn(scene.newest(own, "Confirm the change"));
      const body = Object.fromEntries(new URLSearchParams(link.split("#")[1]));
      await post(browser, "/confirm-email", body);
    },
    async "the attacker tries every endpoint"() {
      for (const browser of attackers.slice(0, 1)) {
        for (const route of shuffle(dice, routes)) {
          const { method, path } = route;
          const body = method === "GET" ? undefined : fillBody(route, fields);
          await browser.call(method, `/api/auth${path.replace(/:\w+/, "x")}`, body, {
            "x-forwarded-for": newAddress(),
          });
          if (endsSession(route))
            await signInFromElsewhere(browser, { email, password: attackerPassword });
        }
      }
    },
  };
  const check = async (when: string) => {
    const again = scene.createBrowser();
    await again.signIn(email, attackerPassword);
    for (const browser of [...attackers, again]) {
      const account = await scene.readAccount(browser);
      if (account?.email === email && account.emailVerified)
        findings.add(
          `${when}: the attacker is signed in as ${email}, after ${past.join(", ")}`,
          round,
        );
    }
  };
  for (const [name, run] of shuffle(dice, Object.entries(steps))) {
    past.push(name);
    await run();
    await check(name);
  }
  const owner = scene.createBrowser();
  await reset();
  const signedIn = await owner.signIn(email, victimPassword);
  const account = await scene.readAccount(owner);
  // Without any account with this address, a reset creates none.
  const exists = past.indexOf("the owner signs up") >= 0;
  if (exists && (!signedIn.ok || account?.email !== email || !account.emailVerified))
    findings.add(`the owner cannot get in, after ${past.join(", ")}`, round);
  await check("in the end");
}
