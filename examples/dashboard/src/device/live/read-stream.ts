/** The server sends at least a heartbeat every 15 s (§7). A connection without three in a row counts as broken. */
const maxSilenceMs = 45_000;

export interface StreamOptions {
  readonly url: string;
  /** The position to resume after. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** Called for each message. `data` is undefined in a heartbeat and in a message that only updates the position. */
  readonly onMessage: (position: string | undefined, data: string | undefined) => void;
}

/** Returns a field of a message. Only \n ends a line: U+2028 and U+2029, at which a regular expression stops, may be in the data. */
const field = (message: string, name: string) =>
  message
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/**
 * Reads server-sent events until the stream ends, breaks or is silent for 45 s. `EventSource` does not report the
 * server's heartbeats, so a page that uses it can't tell a quiet device from a broken connection. Never rejects.
 * Returns whether the server opened the stream.
 */
export async function readStream(options: StreamOptions): Promise<boolean> {
  const { url, after, signal, onOpen, onMessage } = options;
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectMore = () => {
    clearTimeout(timer);
    timer = setTimeout(() => closing.abort(), maxSilenceMs);
  };
  let opened = false;
  try {
    expectMore();
    const response = await fetch(url, {
      headers: after === undefined ? {} : { "last-event-id": after },
      signal: AbortSignal.any([signal, closing.signal]),
    });
    if (!response.ok || response.body === null) return false;
    opened = true;
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      expectMore();
      const messages = (rest + value).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) onMessage(field(message, "id"), field(message, "data"));
    }
  } catch {
    // The connection broke, the caller left, or a message was not valid.
  } finally {
    // The server limits how many streams a user has open.
    closing.abort();
    clearTimeout(timer);
  }
  return opened;
}
