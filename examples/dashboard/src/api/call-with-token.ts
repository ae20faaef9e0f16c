import { callAccounts } from "./account-calls.js";
import { type Body, type CallInput, call, type Reply } from "./call.js";

/**
 * Calls a route that requires the session as a bearer token (§3). If the server refuses the request for the token, the
 * call is not made and fails with that reason.
 */
export async function callWithToken<Name extends "claimDevice" | "releaseDevice">(
  name: Name,
  input: CallInput,
): Promise<Reply<Body<Name>>> {
  const token = await callAccounts("/token");
  if (token.ok) {
    const headers = { authorization: `Bearer ${String(token.body["token"])}` };
    return call(name, { ...input, headers });
  }
  // The session has ended. The API says so, and the page asks the user to sign in.
  if (token.status === 401) return call(name, input);
  return { ok: false, failure: token };
}
