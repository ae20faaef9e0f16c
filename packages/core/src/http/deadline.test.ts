import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";
import { DeadlineError, withDeadline } from "./deadline.js";
import { toFetchHandler } from "./fetch-handler.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("§9 a response that takes longer than 10 s is a 503 and leaves no timer behind", async () => {
  const store = createMemoryStore();
  store.ping = () => new Promise(() => {});
  const handler = toFetchHandler(await createGateway({ store, secrets: generateSecrets() }), {
    clientAddress: () => null,
  });
  const pending = handler(new Request("http://gateway.test/readyz"));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const response = await pending;
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("§9 an authenticator that never answers leads to a 503 in time", async () => {
  const store = createMemoryStore();
  const customers = { authenticateToken: () => new Promise<never>(() => {}) };
  const gateway = await createGateway({ store, customers, secrets: generateSecrets() });
  const headers = { authorization: "Bearer x" };
  const request = new Request("http://gateway.test/api/v1/dashboard/devices", { headers });
  const pending = toFetchHandler(gateway, { clientAddress: () => null })(request);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await pending).status).toBe(503);
  expect(vi.getTimerCount()).toBe(0);
});

test("§9 the time that a body takes does not count towards the deadline", async () => {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  let end = () => {};
  const body = new ReadableStream({
    start(controller) {
      end = () => controller.close();
    },
  });
  const url = "http://gateway.test/api/v1/device/register";
  const request = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit);
  const pending = toFetchHandler(gateway, { clientAddress: () => null })(request);
  await vi.advanceTimersByTimeAsync(60_000);
  end();
  expect((await pending).status).toBe(400);
  expect(vi.getTimerCount()).toBe(0);
});

test("§9 a live stream that opens after its deadline does not count towards its user's streams", async () => {
  const store = createMemoryStore();
  await registerSampleDevice(store, "gw-1", sampleOwnership("alice"));
  let delayMs = 12_000;
  const alice = { id: "alice", emailVerified: true, roles: [] };
  const customers = {
    authenticateToken: () =>
      new Promise<typeof alice>((resolve) => setTimeout(() => resolve(alice), delayMs)),
  };
  const gateway = await createGateway({ store, customers, secrets: generateSecrets() });
  const open = async () => {
    const url = "http://gateway.test/api/v1/dashboard/devices/gw-1/telemetry/live";
    const headers = { authorization: "Bearer x" };
    const pending = toFetchHandler(gateway, { clientAddress: () => null })(
      new Request(url, { headers }),
    );
    await vi.advanceTimersByTimeAsync(delayMs);
    const response = await pending;
    return response.status;
  };
  for (let n = 0; n < 5; n++) expect(await open()).toBe(503);
  delayMs = 1;
  expect(await open()).toBe(200);
});

test("work whose time limit is over ends at its next check", async () => {
  let check = () => {};
  let finish = () => {};
  const work = withDeadline(
    (deadline) => {
      ({ check } = deadline);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
    10,
    () => {},
  );
  const failed = expect(work).rejects.toBeInstanceOf(DeadlineError);
  await vi.advanceTimersByTimeAsync(9_999);
  check();
  await vi.advanceTimersByTimeAsync(1);
  await failed;
  expect(check).toThrow(DeadlineError);
  finish();
});
