import { readDemoToken } from "../demo-token.js";
import { site } from "../session.js";
import { type DemoMailsAnswer, demoTokenHeader, type SiteAnswer } from "../site-answer.js";
import { offline, type Reply, toFailure } from "./call.js";
import { fetchInTime } from "./fetch-in-time.js";

/** The header with the token of the demo link, if this browser has opened the link. */
const demoHeaders = (): Record<string, string> => {
  const token = readDemoToken();
  return token === "" ? {} : { [demoTokenHeader]: token };
};

async function readSite(): Promise<SiteAnswer | undefined> {
  try {
    const response = await fetchInTime("/api/site", { headers: demoHeaders() });
    return response.ok ? ((await response.json()) as SiteAnswer) : undefined;
  } catch {
    return undefined;
  }
}

let latest: Promise<boolean> | undefined;
let keepsView = false;

/**
 * Sets whether the view stays although nobody is signed in. A user who signs in again with a second factor has no
 * session between the password and the code.
 */
export function keepViewWithoutSession(keeps: boolean): void {
  keepsView = keeps;
}

/**
 * Reads who is signed in, and the state of the demo. Returns whether the server answered. If it did not, a page that is
 * shown stays, with all that it holds. Responses to earlier calls are dropped.
 */
export function refreshSite(): Promise<boolean> {
  const own: Promise<boolean> = readSite().then((answer) => {
    if (latest !== own) return latest ?? false;
    if (answer?.account === null && keepsView) return true;
    if (answer !== undefined) site.value = answer;
    else if (typeof site.value !== "object") site.value = "unreachable";
    return answer !== undefined;
  });
  latest = own;
  return own;
}

/**
 * Reads who is signed in now. What is shown may belong to another user, so it does not stay if the server does not
 * answer.
 */
async function readNewSession(): Promise<void> {
  keepsView = false;
  if (!(await refreshSite())) site.value = "unreachable";
}

/** The other tabs of this browser, which have the same session. Undefined if the browser cannot reach them. */
let otherTabs: BroadcastChannel | undefined;

/** Notices when another tab signs in or out, and when the session changed while this tab was hidden. */
export function watchSession(): void {
  if ("BroadcastChannel" in globalThis) {
    otherTabs = new BroadcastChannel("session");
    otherTabs.onmessage = () => void readNewSession();
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refreshSite();
  });
}

/** Call this after a user signed in or out: all tabs read who is signed in now. */
export function announceSession(): Promise<void> {
  otherTabs?.postMessage("");
  return readNewSession();
}

/** Reads the e-mails that the demo keeps. There are none for a browser that has not opened the link of the demo. */
export async function readDemoMails(): Promise<Reply<DemoMailsAnswer["mails"]>> {
  try {
    const response = await fetchInTime("/api/demo/mails", { headers: demoHeaders() });
    if (response.status === 404) return { ok: true, value: [], etag: undefined };
    if (!response.ok) return { ok: false, failure: await toFailure(response) };
    const { mails } = (await response.json()) as DemoMailsAnswer;
    return { ok: true, value: mails, etag: undefined };
  } catch {
    return { ok: false, failure: offline };
  }
}
