import { signal } from "@preact/signals";
import * as accountErrorsText from "../text/account-errors.js";
import { fetchInTime } from "./fetch-in-time.js";

/** The body of an error response of the accounts API. */
interface AccountProblem {
  readonly code?: string;
  readonly message?: string;
}

/**
 * Whether the last change failed because the sign-in is too long ago. The account's view then asks to sign in again.
 */
export const needsSignIn = signal(false);

export type AccountReply =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      /** The HTTP status. 0 if there was no response. */
      readonly status: number;
    };

const messages: Readonly<Record<string, string>> = accountErrorsText.byCode;

function toMessage(response: Response, { code = "", message }: AccountProblem): string {
  const known = messages[code];
  if (known !== undefined) return known;
  const { status } = response;
  if (status === 429)
    return accountErrorsText.tooManyAttempts(Number(response.headers.get("retry-after") ?? 10));
  return message ?? accountErrorsText.unexpectedStatus(status);
}

/** Whether the link in the e-mail was used or has expired, so that the user needs a new one. */
export const isUnusableLink = (reply: AccountReply) =>
  !reply.ok && ["INVALID_TOKEN", "TOKEN_EXPIRED"].includes(reply.code);

/** Calls the server's accounts API. Never rejects. */
export async function callAccounts(path: string, body: object = {}): Promise<AccountReply> {
  try {
    const response = await fetchInTime(`/api/auth${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json().catch(() => ({}))) as AccountProblem;
    if (response.ok) return { ok: true, body: { ...answer } };
    const { code = "" } = answer;
    if (code === "FRESH_SIGN_IN_REQUIRED") needsSignIn.value = true;
    const { status } = response;
    return { ok: false, code, message: toMessage(response, answer), status };
  } catch {
    const message = accountErrorsText.offline;
    return { ok: false, code: "offline", message, status: 0 };
  }
}

/** Reads a list of the accounts API. Returns undefined if that fails. */
export async function readAccounts<Value>(path: string): Promise<Value | undefined> {
  const response = await fetchInTime(`/api/auth${path}`).catch(() => undefined);
  return response?.ok ? ((await response.json().catch(() => undefined)) as Value) : undefined;
}
