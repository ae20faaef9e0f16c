import type { ClientError } from "@device-gateway/device-client";
import type { DemoContext } from "./demo-context.js";

export type Reply<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "refused"; readonly error: ClientError };

/** A call of the device client, under way. */
export interface Call<Value> {
  match<A, B>(onOk: (value: Value) => A, onErr: (error: ClientError) => B): PromiseLike<A | B>;
}

const longestBackoffSeconds = 60;

/** Doubles from 1 s, with jitter so that a fleet does not come back in step. */
function backoffSeconds(attempt: number): number {
  return Math.min(longestBackoffSeconds, 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** No answer, too many requests, or the server's own trouble: the same call may work later. */
function passes({ status }: ClientError): boolean {
  return status === undefined || status === 429 || status >= 500;
}

/**
 * Repeats a call until the server answers it or refuses it for good, as long as it asks for or
 * longer and longer. Rejects when the signal aborts.
 */
export async function persist<Value>(
  { signal, wait, tell }: Pick<DemoContext, "signal" | "wait" | "tell">,
  call: () => Call<Value>,
): Promise<Reply<Value>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    const reply = await call().match(
      (value): Reply<Value> => ({ kind: "answered", value }),
      (error): Reply<Value> => ({ kind: "refused", error }),
    );
    if (reply.kind === "answered" || !passes(reply.error)) return reply;
    signal.throwIfAborted();
    const seconds = reply.error.retryAfterSeconds ?? backoffSeconds(attempt);
    tell({ kind: "waiting", seconds, reason: reply.error.message });
    await wait(seconds * 1000, signal);
  }
}
