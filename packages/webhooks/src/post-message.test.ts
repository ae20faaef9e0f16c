import dns, { type LookupAddress } from "node:dns";
import { expect, onTestFinished, test, vi } from "vitest";
import { postMessage } from "./post-message.js";
import { startReceiver } from "./testing/receiver.js";

/** Gives every name an address of each family. `then` runs when the connection to the first one has begun. */
function resolveToBothFamilies(then = () => {}) {
  const addresses: LookupAddress[] = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  vi.spyOn(dns, "lookup").mockImplementation(((
    _host: string,
    _options: object,
    callback: (error: null, found: LookupAddress[]) => void,
  ) => {
    callback(null, addresses);
    then();
  }) as unknown as typeof dns.lookup);
  onTestFinished(() => void vi.restoreAllMocks());
}

/** Keeps the event loop busy. */
const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const post = (url: string) =>
  postMessage({
    ...{
      url: new URL(url),
      headers: {},
      body: `{"data":{}}`,
      timeoutMs: 10_000,
      allowIntranet: true,
    },
    signal: new AbortController().signal,
  });

test("a receiver with addresses of both families is reached although it connects slowly and only by IPv4", async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  // Node sees the connection after its default limit for one of several addresses.
  resolveToBothFamilies(() => block(400));
  const outcome = await post(receiver.url.replace("127.0.0.1", "receiver.example"));
  expect(outcome).toMatchObject({ status: 204, error: null });
});

test("the error about a name with several addresses says why each of them failed", async () => {
  resolveToBothFamilies();
  const { error } = await post("http://receiver.example:1/");
  expect(error).toMatch(/127\.0\.0\.1:1.*::1:1/);
});
