/** One event of a stream (HTML standard, "Server-sent events"). */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Null: it says where the stream is, and nothing else. */
  readonly data: string | null;
}

/** The server says something each 15 s: after three times nothing the connection is gone. */
const longestSilenceMs = 45_000;

/** Splits a stream of bytes into lines, whichever way they end. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  // Ends a read that waits, too.
  const leave = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();
  try {
    for (;;) {
      const silence = setTimeout(leave, longestSilenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A line feed may belong to a carriage return that came last.
      const end = done || !rest.endsWith("\r") ? rest.length : rest.length - 1;
      const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + rest.slice(end);
      yield* lines;
      if (done) return;
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    await reader.cancel().catch(() => {});
  }
}

/**
 * Reads server-sent events until the stream ends, nothing comes for 45 s, or the signal aborts; an
 * event that was cut off is left out.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let id: string | undefined;
  let data: string[] = [];
  let moved = false;
  for await (const line of readLines(body, signal)) {
    if (line === "") {
      if (data.length > 0) yield { id, data: data.join("\n") };
      else if (moved) yield { id, data: null };
      data = [];
      moved = false;
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") data.push(value);
    if (name === "id") {
      id = value;
      moved = true;
    }
  }
}
