import type { Routes, SentRequest } from "@device-gateway/core/contract";
import { err, type Result, ResultAsync } from "neverthrow";
import { sendRequest, type UntypedRequest } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import type { DeviceRouteName } from "../device-client.js";
import { isTransient } from "../retry.js";
import { wireTable } from "../wire-table.js";
import { withRetries } from "../with-retries.js";
import type { DeviceCall } from "./device-call.js";
import { isRepeatable } from "./is-repeatable.js";
import { type SignInContext, type SignInError, signIn } from "./sign-in.js";

/** Calls routes with the device's token. It gets and renews the token when necessary. */
export interface Session {
  readonly token: string | undefined;
  /** Signs in again. Concurrent calls share one sign-in. */
  renew(): Promise<Result<string, SignInError>>;
  call<Name extends DeviceRouteName>(
    name: Name,
    request: SentRequest<Routes[Name]>,
  ): DeviceCall<Name>;
}

type Sent = Result<{ status: number; value: unknown }, ClientError>;

/**
 * Maps a sign-in error to the error of a call. Only a permanent error of the API becomes `unauthorized`. The status of
 * another response stays in the cause, because it says nothing about the content of the call, which was not sent.
 */
function toCallError(cause: SignInError): ClientError {
  const { code } = cause;
  if (isTransient(cause) || code === "storage") return cause;
  const message = `Not signed in: ${cause.message}`;
  if (code === "unexpected_answer") return { code, message, cause };
  return { code: "unauthorized", status: 401, message, cause };
}

export function createSession(context: SignInContext): Session {
  const { transport, retryContext } = context;
  let token: string | undefined;
  let renewing: Promise<Result<string, SignInError>> | undefined;

  async function signInAnew(): Promise<Result<string, SignInError>> {
    try {
      const signedIn = await signIn(context);
      if (signedIn.isOk()) token = signedIn.value;
      return signedIn;
    } finally {
      renewing = undefined;
    }
  }

  function renew(): Promise<Result<string, SignInError>> {
    renewing ??= signInAnew();
    return renewing;
  }

  async function send(name: DeviceRouteName, request: UntypedRequest): Promise<Sent> {
    const route = wireTable[name];
    const withToken = (used: string) =>
      withRetries(retryContext, isRepeatable(name, request), () =>
        sendRequest(transport, route, request, used),
      );
    let used = token;
    if (used === undefined) {
      const signedIn = await renew();
      if (signedIn.isErr()) return err(toCallError(signedIn.error));
      used = signedIn.value;
    }
    const first = await withToken(used);
    // The status, because a proxy may have replaced the body.
    if (first.isOk() || first.error.status !== 401) return first;
    // Another call may have renewed the token in the meantime.
    if (token !== undefined && token !== used) return withToken(token);
    const signedIn = await renew();
    return signedIn.isErr() ? err(toCallError(signedIn.error)) : withToken(signedIn.value);
  }

  return {
    get token() {
      return token;
    },
    renew,
    call<Name extends DeviceRouteName>(name: Name, request: SentRequest<Routes[Name]>) {
      const sent = new ResultAsync(send(name, request as UntypedRequest));
      return sent.map(({ value }) => value) as unknown as DeviceCall<Name>;
    },
  };
}
