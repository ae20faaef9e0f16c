/**
 * Reads a body as text. Returns null if it has more than `limit` bytes, and cancels the rest. When the signal aborts,
 * it cancels the body too, because a caller's own `fetch` may ignore the signal.
 */
export async function readText(
  body: ReadableStream<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): Promise<string | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Also ends a pending read.
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw signal.reason ?? new Error("The request was aborted.");
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > limit) return null;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
