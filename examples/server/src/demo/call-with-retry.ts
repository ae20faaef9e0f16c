import type { ClientError } from "@device-gateway/device-client";
import type { DemoContext } from "./demo-context.js";

export type Reply<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "refused"; readonly error: ClientError };

/** A pending call of the device client. */
export interface Call<Value> {
  match<A, B>(onOk: (value: Value) => A, onErr: (error: ClientError) => B): PromiseLike<A | B>;
}

const maxBackoffSeconds = 60;

/** Doubles from 1 s, with jitter so that the devices of a fleet do not retry at the same time. */
function backoffSeconds(attempt: number): number {
  return Math.min(maxBackoffSeconds, 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Returns whether the same call may succeed later: after no response, a 429 or a server error. */
function isTemporary({ status }: ClientError): boolean {
  return status === undefined || status === 429 || status >= 500;
}

/**
 * Repeats a call until it succeeds or fails permanently. Waits as long as Retry-After says, else longer each time. Rejects
 * when the signal aborts.
 */
export async function callWithRetry<Value>(
  { signal, wait, notify }: Pick<DemoContext, "signal" | "wait" | "notify">,
  call: () => Call<Value>,
): Promise<Reply<Value>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    const reply = await call().match(
      (value): Reply<Value> => ({ kind: "answered", value }),
      (error): Reply<Value> => ({ kind: "refused", error }),
    );
    if (reply.kind === "answered" || !isTemporary(reply.error)) return reply;
    signal.throwIfAborted();
    const seconds = reply.error.retryAfterSeconds ?? backoffSeconds(attempt);
    notify({ kind: "waiting", seconds, reason: reply.error.message });
    await wait(seconds * 1000, signal);
  }
}
