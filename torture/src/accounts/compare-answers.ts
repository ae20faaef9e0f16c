import type { Findings } from "../attack.js";
import type { ReportLine } from "../report.js";
import {
  type AccountRoute,
  type Answered,
  fillBody,
  newAddress,
  sendExactly,
  signsUp,
} from "./account-requests.js";
import type { AccountBrowser, AccountScene } from "./account-scene.js";

/** An account's state that an answer must not reveal, with an address in that state. */
type KnownAddresses = Readonly<Record<string, string>>;
const unknownAddress = "unknown@example.com";

/** Creates an account in each state. */
async function createKnown(scene: AccountScene): Promise<KnownAddresses> {
  const known = {
    verified: "known@example.com",
    unverified: "known-unverified@example.com",
    "with a second factor": "known-factor@example.com",
    "taken back": "known-undone@example.com",
  };
  await scene.signUp(known.verified, { verified: true });
  await scene.signUp(known.unverified);
  await scene.enrol(await scene.signUp(known["with a second factor"], { verified: true }));
  await scene.signUp(known["taken back"], { verified: true });
  await scene.createBrowser().signIn(known["taken back"]);
  const notice = scene.linkIn(scene.newest(known["taken back"], "New sign-in"));
  const fragment = Object.fromEntries(new URLSearchParams(notice.split("#")[1]));
  await scene.createBrowser().call("POST", "/api/auth/undo", fragment);
  return known;
}

/** Sends an endpoint with an address in the given field, from a client's address of its own. */
export function askAbout(
  scene: AccountScene,
  route: AccountRoute,
  fields: object,
  cookie = "",
): Promise<Answered> {
  return sendExactly(scene.url, {
    method: route.method,
    path: `/api/auth${route.path}`,
    headers: {
      origin: scene.url,
      "content-type": "application/json",
      "x-forwarded-for": newAddress(),
      ...(cookie !== "" && { cookie }),
    },
    body: JSON.stringify({ ...fillBody(route, {}), ...fields }),
  });
}

/** The endpoints that take an address of anyone's choice, from nobody (`email`) or in a session (`newEmail`). */
export const asking = (routes: readonly AccountRoute[], field: "email" | "newEmail") =>
  routes.filter((route) => field in route.body && !signsUp(route));

/**
 * The longest time for an answer that does not wait for a mail. Such answers are much faster, so only one that waits
 * exceeds it.
 */
const patienceMs = 30_000;

/**
 * Calls each endpoint that takes an address, with addresses that have an account in each state and with one that has
 * none. The answers must be equal, byte for byte, and must cost the same number of slow hashes. A mail goes only to an
 * account's owner, so no answer may wait for the mail server.
 */
export async function compareAnswers(
  scene: AccountScene,
  routes: readonly AccountRoute[],
  findings: Findings,
): Promise<ReportLine> {
  const known = await createKnown(scene);
  const asker = await scene.signUp("asker@example.com", { verified: true });
  const price = async (ask: () => Promise<Answered>) => {
    const before = scene.slowHashes();
    const release = scene.holdMails();
    let timer: NodeJS.Timeout | undefined;
    const waiting = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, patienceMs, "waits for the mail server");
    });
    const answered = ask().then(({ status, text }) => `${status} ${text}`);
    const answer = await Promise.race([answered, waiting]);
    clearTimeout(timer);
    release();
    await answered;
    return `${answer}, ${scene.slowHashes() - before} slow hashes`;
  };
  const compare = async (
    route: AccountRoute,
    ask: (address: string) => Promise<Answered>,
  ): Promise<void> => {
    const expected = await price(() => ask(unknownAddress));
    for (const [state, address] of Object.entries(known)) {
      const found = await price(() => ask(address));
      if (found !== expected)
        findings.add(`${route.path}, ${state}: ${found}. Without an account: ${expected}`);
    }
  };
  const open = asking(routes, "email");
  for (const route of open)
    await compare(route, (email) =>
      askAbout(scene, route, { email, password: "a wrong password" }),
    );
  const within = asking(routes, "newEmail");
  for (const route of within)
    await compare(route, (newEmail) => askAbout(scene, route, { newEmail }, asker.cookie()));
  await compareMoves(scene, asker, known, findings);
  return {
    what: "answers that tell an account from none, by text, slow hashes and waiting for a mail",
    rounds: (open.length + within.length) * (Object.keys(known).length + 1),
    result: [...open, ...within].map(({ path }) => path).join(" "),
    bar: "identical",
  };
}

/**
 * Confirms a change to each address at the current one. Each must look the same and send one mail to the new address.
 */
async function compareMoves(
  scene: AccountScene,
  asker: AccountBrowser,
  known: KnownAddresses,
  findings: Findings,
): Promise<void> {
  for (const newEmail of [unknownAddress, ...Object.values(known)]) {
    const headers = { "x-forwarded-for": newAddress() };
    await asker.call("POST", "/api/auth/change-email", { newEmail }, headers);
    const link = scene.linkIn(scene.newest("asker@example.com", "Confirm the change"));
    const body = Object.fromEntries(new URLSearchParams(link.split("#")[1]));
    const count = () => scene.mails.filter(({ to }) => to === newEmail).length;
    const [hashes, mails] = [scene.slowHashes(), count()];
    const reply = await asker.call("POST", "/api/auth/confirm-email", body, headers);
    const found = `${reply.status} ${await reply.text()}, ${scene.slowHashes() - hashes} slow hashes, ${count() - mails} mails`;
    const expected = '200 {"status":true,"done":false}, 0 slow hashes, 1 mails';
    if (found !== expected) findings.add(`a change to ${newEmail}: ${found}, not ${expected}`);
  }
}
