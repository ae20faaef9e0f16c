import { expect, test, vi } from "vitest";
import { readStream } from "./read-stream.js";

/** Answers with a stream that contains the text and then ends. Returns the signal of the request. */
function stubStream(text: string) {
  const request: { signal?: AbortSignal } = {};
  vi.stubGlobal("fetch", (_: string, { signal }: { signal: AbortSignal }) => {
    request.signal = signal;
    return Promise.resolve(new Response(text));
  });
  return request;
}
const options = { url: "/live", after: undefined, signal: new AbortController().signal };

test("a message may contain U+2028 and U+2029, which end no line", async () => {
  const data = JSON.stringify({ note: "a\u2028id: 9\u2029b" });
  stubStream(`id: 7\ndata: ${data}\n\n: heartbeat\n\n`);
  const messages: unknown[] = [];
  const onMessage = (...message: unknown[]) => void messages.push(message);
  await readStream({ ...options, onOpen: () => {}, onMessage });
  expect(messages).toEqual([
    ["7", data],
    [undefined, undefined],
  ]);
});

test("a stream is closed if one of its messages cannot be used", async () => {
  const request = stubStream("data: {\n\n");
  const opened = await readStream({
    ...{ ...options, onOpen: () => {} },
    onMessage: (_, data) => void JSON.parse(data ?? ""),
  });
  expect(opened).toBe(true);
  expect(request.signal?.aborted).toBe(true);
});
