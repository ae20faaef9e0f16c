import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { generateSecrets } from "../auth/secrets.js";
import { createGateway } from "../gateway.js";
import { heapUsed } from "../node/testing/heap-used.js";
import { toFetchHandler } from "./fetch-handler.js";

const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
const post = (body: BodyInit) =>
  new Request("http://gateway.test/iot/api/v1/device/register", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });

test("a mount path is removed only where it matches whole segments", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot" });
  const statusOf = async (path: string) =>
    (await handler(new Request(`http://gateway.test${path}`), null)).status;
  expect(await statusOf("/iot/healthz")).toBe(200);
  expect(await statusOf("/iothealthz")).toBe(404);
  expect(await statusOf("/healthz")).toBe(404);
});

test("a body that breaks off or never ends gets a response, and its stream is cancelled", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot" });
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("gone")),
  });
  expect((await handler(post(broken), null)).status).toBe(400);
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(4096)),
    cancel: () => {
      cancelled = true;
    },
  });
  expect((await handler(post(endless), null)).status).toBe(413);
  expect(cancelled).toBe(true);
});

test("a body that arrives byte by byte takes little more memory than its bytes", async () => {
  const handler = toFetchHandler(gateway, { mountPath: "/iot" });
  const count = 10_000;
  const before = heapUsed();
  let sent = 0;
  let perByte = Number.NaN;
  const dripping = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent++ < count) return controller.enqueue(Buffer.allocUnsafeSlow(1));
      perByte = (heapUsed() - before) / count;
      controller.close();
    },
  });
  expect((await handler(post(dripping), null)).status).toBe(400);
  expect(perByte).toBeLessThan(50);
});

test("the client's address is the one that the embedder passes", async () => {
  const store = createMemoryStore();
  const handler = toFetchHandler(
    await createGateway({ store, secrets: generateSecrets(), scryptCost: { logN: 4, r: 8, p: 1 } }),
    { mountPath: "/iot" },
  );
  const body = { deviceId: "a", hardwareId: "b", firmwareVersion: "1.0.0", claimCode: "ABCDEFGH" };
  expect((await handler(post(JSON.stringify(body)), "203.0.113.7")).status).toBe(201);
  const [event] = await store.securityEvents.list({ after: 0, limit: 1 });
  expect(event?.clientAddress).toBe("203.0.113.7");
});
