/** One event of a stream (HTML standard, "Server-sent events"). */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Null: it says where the stream is, and nothing else. */
  readonly data: string | null;
}

/** Splits a stream of bytes into lines, whichever way they end. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A line feed may belong to a carriage return that came last.
      const end = done || !rest.endsWith("\r") ? rest.length : rest.length - 1;
      const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + rest.slice(end);
      yield* lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Reads server-sent events until the stream ends; an event that was cut off is left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let id: string | undefined;
  let data: string[] = [];
  let moved = false;
  for await (const line of readLines(body)) {
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
