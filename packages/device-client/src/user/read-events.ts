/** One event of a stream (HTML standard, "Server-sent events"). */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Null if the event only updates the position of the stream. */
  readonly data: string | null;
}

/** The server sends at least a heartbeat every 15 s. A connection without three in a row counts as broken. */
const maxSilenceMs = 45_000;

/** Characters of a line or of the data of an event. A server may be set to accept records of 16 MiB. */
const maxCharacters = 33_554_432;

const tooLong = () =>
  new RangeError(`A line or an event of the stream has more than ${maxCharacters} characters.`);

/**
 * Splits a stream of bytes into lines that end with LF, CR or CR LF.
 * @throws {RangeError} if a line has more than `maxCharacters`.
 */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** The begun line, without the carriage return that may end it. */
  let rest = "";
  let carriageReturn = "";
  // Also ends a pending read.
  const leave = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();
  try {
    for (;;) {
      const silence = setTimeout(leave, maxSilenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      const decoded = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const text = carriageReturn + decoded;
      // Keep a final carriage return: the next bytes may begin with its line feed.
      const end = done || !text.endsWith("\r") ? text.length : text.length - 1;
      carriageReturn = text.slice(end);
      const lines = text.slice(0, end).split(/\r\n|\n|\r/);
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > maxCharacters) throw tooLong();
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
 * @throws {RangeError} if a line, or the data of an event, has more than 33,554,432 characters.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent> {
  let id: string | undefined;
  let data: string[] = [];
  let characters = 0;
  let moved = false;
  for await (const line of readLines(body, signal)) {
    if (line === "") {
      if (data.length > 0) yield { id, data: data.join("\n") };
      else if (moved) yield { id, data: null };
      data = [];
      characters = 0;
      moved = false;
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") {
      // The line break counts too.
      characters += value.length + 1;
      if (characters > maxCharacters) throw tooLong();
      data.push(value);
    }
    if (name === "id") {
      id = value;
      moved = true;
    }
  }
}
