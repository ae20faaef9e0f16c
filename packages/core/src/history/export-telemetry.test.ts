import { beforeEach, expect, test, vi } from "vitest";
import { generateSecrets } from "../auth/secrets.js";
import { createGateway, type Gateway } from "../gateway.js";
import { toFetchHandler } from "../http/fetch-handler.js";
import type { GatewayStore } from "../store.js";
import { registered, sampleOwned } from "../testing/conformance/samples.js";
import { createFakeClock } from "../testing/fake-clock.js";
import { createMemoryStore } from "../testing/memory-store.js";

const dayMs = 86_400_000;
const clock = createFakeClock();

let store: GatewayStore;
let gateway: Gateway;
beforeEach(async () => {
  store = createMemoryStore();
  await registered(store, "gw-1", sampleOwned("alice"));
  gateway = await createGateway({
    ...{ store, clock, secrets: generateSecrets() },
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
  });
});

const path = "/api/v1/dashboard/devices/gw-1/telemetry/export";
const open = (query = "format=ndjson") => {
  const headers = { authorization: "Bearer alice" };
  const request = new Request(`http://gateway.test${path}?${query}`, { headers });
  return toFetchHandler(gateway)(request, null);
};

const send = (times: readonly number[], receivedAt = clock.now()) =>
  store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt, once: null },
    records: times.map((at, n) => ({ at, seq: n, isTimed: true, value: { n } })),
  });

test("§7 a user has five exports at a time, however they end", async () => {
  const [first, second] = [await open(), await open()];
  for (let n = 0; n < 3; n++) expect((await open()).status).toBe(200);
  const refused = await open();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  await first.body?.cancel();
  expect((await open()).status).toBe(200);
  expect(await second.text()).toBe("");
  expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});

test("§7 an export that is let go of reads no more, and holds its place until then", async () => {
  for (let page = 0; page < 50; page++) {
    await send(Array.from({ length: 200 }, (_, n) => clock.now() - page * 1_000 - n));
  }
  const samples = vi.spyOn(store.telemetry, "samples");
  const url = { path, query: "format=csv", method: "GET", clientAddress: null };
  for (let n = 0; n < 5; n++) {
    const { body } = await gateway.handle({
      ...{ ...url, header: (name) => (name === "authorization" ? "Bearer alice" : undefined) },
      ...{ json: async () => ({ kind: "absent" }), stream: () => new ReadableStream() },
    });
    if (typeof body === "string") throw new Error(body);
    const iterator = body[Symbol.asyncIterator]();
    // A walk over all pages, for the columns.
    const piece = iterator.next();
    const letGo = iterator.return?.();
    if (n === 4) expect((await open()).status, "all five are at work").toBe(429);
    void Promise.all([piece, letGo]);
  }
  await expect.poll(async () => (await open()).status).toBe(200);
  expect(samples.mock.calls.length).toBeLessThan(20);
});

test("§7 without a range an export gives all that is kept, and what is ahead of our clock", async () => {
  const [oldest, ahead] = [clock.now() - 89 * dayMs, clock.now() + 30 * dayMs + 240_000];
  await send([oldest]);
  clock.advance(30 * dayMs);
  await send([ahead]);
  const lines = (await (await open()).text()).trim().split("\n");
  const times = lines.map((line) =>
    Date.parse((JSON.parse(line) as { timestamp: string }).timestamp),
  );
  expect(times).toEqual([oldest, ahead]);
});

test("§7 in a CSV, a metric called as a column of its own stands with what has no column", async () => {
  await store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt: clock.now(), once: null },
    records: [{ at: clock.now(), seq: null, isTimed: true, value: { other: 1, voltage: 2 } }],
  });
  const [header, line] = (await (await open("format=csv")).text()).split("\r\n");
  expect(header).toBe("timestamp,voltage,other");
  expect(line).toContain('"{""other"":1}"');
});
