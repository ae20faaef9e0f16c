import type { UpdateClock } from "./update-ports.js";

/** Waits for something as long as it may take; after that aborts, and rejects with why. */
export async function withDeadline<Value>(
  clock: UpdateClock,
  { ms, abort }: { readonly ms: number; readonly abort: AbortController },
  start: () => Promise<Value>,
): Promise<Value> {
  const done = new AbortController();
  const late = clock.wait(ms, done.signal).then(() => {
    if (done.signal.aborted) return;
    const fault = new Error(`Nothing came for ${ms / 1000} s.`);
    abort.abort(fault);
    throw fault;
  });
  try {
    const work = start();
    await Promise.race([work, late]);
    return await work;
  } finally {
    done.abort();
  }
}

/**
 * A body's pieces; rejects when none comes for too long. The body is taken at once: of one that nobody
 * reads yet, some runtimes end the connection as soon as its Response is garbage.
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

/** A short body as text. @throws {RangeError} when it is longer than `limit` bytes. */
export async function readText(
  clock: UpdateClock,
  deadline: { readonly ms: number; readonly abort: AbortController },
  { stream, limit }: { readonly stream: ReadableStream<Uint8Array> | null; readonly limit: number },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (stream === null) return text;
  let bytes = 0;
  for await (const piece of readWithDeadline(clock, deadline, stream)) {
    bytes += piece.length;
    if (bytes > limit) throw new RangeError(`The answer is longer than ${limit} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
