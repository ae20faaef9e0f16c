import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";
import { heapUsed, leastOfRounds } from "../node/testing/heap-used.js";
import { silentLogger } from "../ports/logger.js";
import { toFetchHandler } from "./fetch-handler.js";
import {
  bunAddress,
  type ClientAddress,
  denoAddress,
  forwardedForAddress,
  headerAddress,
} from "./request/client-address.js";

const logError = vi.fn();
const gateway = await createGateway({
  store: createMemoryStore(),
  secrets: generateSecrets(),
  logger: { ...silentLogger, error: logError },
});
const post = (body: BodyInit) =>
  new Request("http://gateway.test/iot/api/v1/device/register", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });

test("a mount path is removed only where it matches whole segments", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot", clientAddress: () => null });
  const statusOf = async (path: string) =>
    (await handler(new Request(`http://gateway.test${path}`))).status;
  expect(await statusOf("/iot/healthz")).toBe(200);
  expect(await statusOf("/iothealthz")).toBe(404);
  expect(await statusOf("/healthz")).toBe(404);
});

test("a body that breaks off or never ends gets a response, and its stream is cancelled", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot", clientAddress: () => null });
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("gone")),
  });
  expect((await handler(post(broken))).status).toBe(400);
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(4096)),
    cancel: () => {
      cancelled = true;
    },
  });
  expect((await handler(post(endless))).status).toBe(413);
  expect(cancelled).toBe(true);
});

test("a body that something else has read is a 500, and the log says what to change", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot", clientAddress: () => null });
  const request = post(new Blob(["{}"]).stream());
  await request.text();
  expect((await handler(request)).status).toBe(500);
  const [fields] = logError.mock.lastCall ?? [];
  expect(String(fields.err)).toContain("Mount the gateway before it.");
});

test("a body that arrives byte by byte takes little more memory than its bytes", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot", clientAddress: () => null });
  const count = 10_000;
  const perByte = await leastOfRounds(async () => {
    const before = heapUsed();
    let sent = 0;
    let grown = Number.NaN;
    const dripping = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (sent++ < count) return controller.enqueue(Buffer.allocUnsafeSlow(1));
        grown = heapUsed() - before;
        controller.close();
      },
    });
    expect((await handler(post(dripping))).status).toBe(400);
    return grown / count;
  });
  expect(perByte).toBeLessThan(50);
});

test("the client's address is the one that the embedder reads, and nobody's header is trusted by default", async () => {
  const store = createMemoryStore();
  const scryptCost = { logN: 4, r: 8, p: 1 };
  const own = await createGateway({ store, secrets: generateSecrets(), scryptCost });
  let registered = 0;
  async function addressOf<Context extends readonly unknown[]>(
    clientAddress: ClientAddress<Context>,
    headers: Record<string, string>,
    ...context: Context
  ) {
    const handler = toFetchHandler(own, { mountPath: "/iot", clientAddress });
    const deviceId = `gw-${registered++}`;
    const body = { deviceId, hardwareId: "b", firmwareVersion: "1.0.0", claimCode: "ABCDEFGH" };
    const request = post(JSON.stringify(body));
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    expect((await handler(request, ...context)).status).toBe(201);
    const events = await store.securityEvents.list({ after: 0, limit: 20 });
    return events.at(-1)?.clientAddress;
  }
  const forged = { "x-forwarded-for": "198.51.100.1", "cf-connecting-ip": "198.51.100.2" };
  const server = { requestIP: () => ({ address: "203.0.113.7" }) };
  expect(await addressOf(bunAddress, forged, server)).toBe("203.0.113.7");
  const remoteAddr = { transport: "tcp", hostname: "203.0.113.8", port: 5 };
  expect(await addressOf(denoAddress, forged, { remoteAddr })).toBe("203.0.113.8");
  expect(await addressOf(denoAddress, forged, { remoteAddr: { path: "/run/x" } })).toBe(null);
  expect(await addressOf(headerAddress("cf-connecting-ip"), forged)).toBe("198.51.100.2");
  const chain = { "x-forwarded-for": "198.51.100.1, 203.0.113.9:443, 10.0.0.1" };
  expect(await addressOf(forwardedForAddress(2), chain)).toBe("203.0.113.9");
  expect(await addressOf(forwardedForAddress(4), chain)).toBe(null);
  expect(await addressOf(forwardedForAddress(1), {})).toBe(null);
});

test("a handler is exported as each method of a Next route handler, and Next's second argument is not an address", async () => {
  // As in app/iot/[...path]/route.ts. Next passes the parameters of the path.
  const handler = toFetchHandler(gateway, {
    mountPath: "/iot",
    clientAddress: forwardedForAddress(1),
  });
  type RouteHandler = (
    request: Request,
    context: { readonly params: Promise<{ readonly path: string[] }> },
  ) => Promise<Response>;
  const { GET, POST }: Record<"GET" | "POST", RouteHandler> = { GET: handler, POST: handler };
  const at = (...path: string[]) => ({ params: Promise.resolve({ path }) });
  const health = new Request("http://gateway.test/iot/healthz");
  expect((await GET(health, at("healthz"))).status).toBe(200);
  expect((await POST(post("{}"), at("api", "v1", "device", "register"))).status).toBe(400);
});

test("a fetch handler needs a way to read the client's address, and a mount path without a slash at the end", () => {
  const create = (options: unknown) => () => toFetchHandler(gateway, options as never);
  expect(create(undefined)).toThrow(
    /clientAddress is missing\. Pass the function for your runtime/,
  );
  expect(create({ mountPath: "/iot" })).toThrow(/clientAddress is missing/);
  expect(create({ clientAddress: () => null, mountPath: "/iot/" })).toThrow(/such as "\/iot"/);
  expect(() => forwardedForAddress(0)).toThrow(/1 or more/);
});

/** Creates a handler whose response has a stream, and counts the streams that are not ended. */
function streamForever(whileHandled: () => void) {
  let open = 0;
  const handle = async () => {
    whileHandled();
    open += 1;
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: "piece" }),
        async return() {
          open -= 1;
          return { done: true as const, value: undefined };
        },
      }),
    };
    return { status: 200, headers: {}, body };
  };
  const handler = toFetchHandler({ handle }, { clientAddress: () => null });
  return { handler, readOpen: () => open };
}

test("a stream is ended if its client is gone before it begins, because the runtime may drop the response", async () => {
  const client = new AbortController();
  const { handler, readOpen } = streamForever(() => client.abort());
  await handler(new Request("http://gateway.test/", { signal: client.signal }));
  expect(readOpen()).toBe(0);
});

test("a stream that nobody begins to read ends after a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { handler, readOpen } = streamForever(() => {});
  await handler(new Request("http://gateway.test/"));
  await vi.advanceTimersByTimeAsync(59_000);
  expect(readOpen()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(readOpen()).toBe(0);
});

test("a stream ends with the last byte that Content-Length announces, also if the runtime does not ask for more", async () => {
  let finished = false;
  async function* body() {
    yield "ab";
    yield "c";
    finished = true;
  }
  const handle = async () => ({ status: 200, headers: { "content-length": "3" }, body: body() });
  const handler = toFetchHandler({ handle }, { clientAddress: () => null });
  const reader = (await handler(new Request("http://gateway.test/"))).body?.getReader();
  await reader?.read();
  expect(finished).toBe(false);
  await reader?.read();
  await expect.poll(() => finished).toBe(true);
});
