import type { UpdateClock } from "../update-ports.js";

/** Waits for the work up to `ms` milliseconds. After that, it aborts the work and rejects. */
export async function withDeadline<Value>(
  clock: UpdateClock,
  { ms, abort }: { readonly ms: number; readonly abort: AbortController },
  start: () => Promise<Value>,
): Promise<Value> {
  const done = new AbortController();
  const timedOut = clock.wait(ms, done.signal).then(() => {
    if (done.signal.aborted) return;
    const fault = new Error(`Timed out after ${ms / 1000} s.`);
    abort.abort(fault);
    throw fault;
  });
  try {
    const work = start();
    await Promise.race([work, timedOut]);
    return await work;
  } finally {
    done.abort();
  }
}

/**
 * Iterates over the pieces of a body. It rejects if none arrives in time. It locks the body at once,
 * because some runtimes close the connection of an unread body when its Response is collected.
 */
export function readWithDeadline(
  clock: UpdateClock,
  deadline: { readonly ms: number; readonly abort: AbortController },
  stream: ReadableStream<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  const reader = stream.getReader();
  async function end(): Promise<IteratorReturnResult<undefined>> {
    deadline.abort.abort();
    await reader.cancel().catch(() => {});
    return { done: true, value: undefined };
  }
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const { done, value } = await withDeadline(clock, deadline, () => reader.read());
        return done ? await end() : { done, value };
      } catch (fault) {
        await end();
        throw fault;
      }
    },
    return: end,
  };
}
