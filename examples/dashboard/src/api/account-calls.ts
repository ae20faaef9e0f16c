import { readDemoToken } from "../demo-token.js";
import { site } from "../session.js";
import { type DemoMailsAnswer, demoTokenHeader, type SiteAnswer } from "../site-answer.js";

/** What the accounts answer when they refuse. */
interface AccountProblem {
  readonly code?: string;
  readonly message?: string;
}

export type AccountReply =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

const messages: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: "E-mail address and password do not match. Check both.",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
    "There is an account with this address. Sign in, or choose a new password if you did not create it.",
  EMAIL_ALREADY_VERIFIED: "This address is verified already. Sign in.",
  EMAIL_MISMATCH: "You are signed in with another address. Sign out first.",
  EMAIL_NOT_VERIFIED: "Verify your e-mail address first.",
  INVALID_PASSWORD: "The password is wrong. Try again, or choose a new one.",
  INVALID_TOKEN: "This link was used or is not complete. Ask for a new one.",
  TOKEN_EXPIRED: "This link has expired. Ask for a new one.",
};

function toMessage(status: number, { code = "", message }: AccountProblem): string {
  if (status === 429) return "Too many tries. Wait ten seconds, then try again.";
  return messages[code] ?? message ?? `The server answered ${status}. Try again.`;
}

/** Whether a mailed link can't be used any more, so that only a new one helps. */
export const isUnusableLink = (reply: AccountReply) =>
  !reply.ok && ["INVALID_TOKEN", "TOKEN_EXPIRED"].includes(reply.code);

/** Calls the server's accounts. Never rejects. */
export async function callAccounts(path: string, body: object = {}): Promise<AccountReply> {
  try {
    const response = await fetch(`/api/auth${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json().catch(() => ({}))) as AccountProblem;
    if (response.ok) return { ok: true, body: { ...answer } };
    const { code = "" } = answer;
    return { ok: false, code, message: toMessage(response.status, answer) };
  } catch {
    const message = "The server can't be reached. Check your connection, try again.";
    return { ok: false, code: "offline", message };
  }
}

/** The token of the demo's link, if this tab has opened it. */
const demoHeaders = (): Record<string, string> => {
  const token = readDemoToken();
  return token === "" ? {} : { [demoTokenHeader]: token };
};

/** Asks who is signed in, and what the demo has to show. */
export async function refreshSite(): Promise<void> {
  try {
    const response = await fetch("/api/site", { headers: demoHeaders() });
    if (response.ok) site.value = (await response.json()) as SiteAnswer;
    else site.value = "unreachable";
  } catch {
    site.value = "unreachable";
  }
}

export async function readDemoMails(): Promise<DemoMailsAnswer["mails"]> {
  const response = await fetch("/api/demo/mails", { headers: demoHeaders() });
  return response.ok ? ((await response.json()) as DemoMailsAnswer).mails : [];
}

/** The session as a bearer token, which claim and release ask for (contract §3). */
export async function readBearerHeaders(): Promise<Readonly<Record<string, string>>> {
  const reply = await callAccounts("/token");
  return reply.ok ? { authorization: `Bearer ${String(reply.body["token"])}` } : {};
}
