/** One event of a stream (HTML standard, "Server-sent events"). */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Null if the event only updates the position of the stream. */
  readonly data: string | null;
}

/** The server sends at least a heartbeat every 15 s. A connection without three in a row counts as broken. */
const maxSilenceMs = 45_000;

/** Splits a stream of bytes into lines that end with LF, CR or CR LF. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  // Also ends a pending read.
  const leave = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();
  try {
    for (;;) {
      const silence = setTimeout(leave, maxSilenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // Keep a final carriage return: the next bytes may begin with its line feed.
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
 * Reads server-sent events until the stream ends, is silent for 45 s, or the signal aborts. It skips
 * an incomplete last event.
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
