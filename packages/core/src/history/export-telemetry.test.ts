import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway, type Gateway } from "../gateway.js";
import { toFetchHandler } from "../http/fetch-handler.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import { CutStreamError } from "../shared/cut-stream-error.js";

const dayMs = 86_400_000;
const clock = createFakeClock();

const logged = vi.fn();
const logger = { debug() {}, info: logged, warn() {}, error() {} };

let store: GatewayStore;
let gateway: Gateway;
beforeEach(async () => {
  store = createMemoryStore();
  await registerSampleDevice(store, "gw-1", sampleOwnership("alice"));
  gateway = await createGateway({
    ...{ store, clock, logger, secrets: generateSecrets() },
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
  });
});

const path = "/api/v1/dashboard/devices/gw-1/telemetry/export";
const open = (query = "format=ndjson") => {
  const headers = { authorization: "Bearer alice" };
  const request = new Request(`http://gateway.test${path}?${query}`, { headers });
  return toFetchHandler(gateway, { clientAddress: () => null })(request);
};

const send = (times: readonly number[], receivedAt = clock.now()) =>
  store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt, once: null },
    records: times.map((at, n) => ({ at, seq: n, isTimed: true, value: { n } })),
  });

test("§7 a user can have five exports at a time, and each gives its place back however it ends", async () => {
  const [first, second] = [await open(), await open()];
  for (let n = 0; n < 3; n++) expect((await open()).status).toBe(200);
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(5);
  await first.body?.cancel();
  expect((await open()).status).toBe(200);
  expect(await second.text()).toBe("");
  expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});

test("§7 a cancelled export stops reading, and keeps its place until it has stopped", async () => {
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
    expect((await iterator.next()).value).toBe("timestamp");
    // A pass over all pages, to find the columns.
    const piece = iterator.next();
    const cancelled = iterator.return?.();
    if (n === 4) expect((await open()).status, "all five are running").toBe(429);
    void Promise.all([piece, cancelled]);
  }
  await expect.poll(async () => (await open()).status).toBe(200);
  expect(samples.mock.calls.length).toBeLessThan(20);
});

test.each(["csv", "ndjson"])(
  "a %s of records with much text lets other work run between two lines",
  async (format) => {
    await send(Array.from({ length: 40 }, (_, n) => clock.now() - n));
    // Each line takes as long as a turn may take.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
    let turns = 0;
    const { body } = await gateway.handle({
      ...{ path, query: `format=${format}`, method: "GET", clientAddress: null },
      header: (name) => (name === "authorization" ? "Bearer alice" : undefined),
      ...{ json: async () => ({ kind: "absent" }), stream: () => new ReadableStream() },
      async turn() {
        turns += 1;
      },
    });
    if (typeof body === "string") throw new Error(body);
    let text = "";
    for await (const piece of body) text += piece;
    expect(text.split("\n").length).toBeGreaterThan(40);
    expect(turns).toBeGreaterThanOrEqual(40);
  },
);

test.each(["csv", "ndjson"])(
  "a %s asks for a turn before each page, so that the first page is charged too",
  async (format) => {
    await send([clock.now()]);
    const reads = [vi.spyOn(store.telemetry, "samples"), vi.spyOn(store.telemetry, "leaves")];
    const readsBefore: number[] = [];
    const { body } = await gateway.handle({
      ...{ path, query: `format=${format}`, method: "GET", clientAddress: null },
      header: (name) => (name === "authorization" ? "Bearer alice" : undefined),
      ...{ json: async () => ({ kind: "absent" }), stream: () => new ReadableStream() },
      async turn() {
        readsBefore.push(reads.reduce((sum, { mock }) => sum + mock.calls.length, 0));
      },
    });
    if (typeof body === "string") throw new Error(body);
    for await (const _piece of body);
    // Each pass ends with an empty page. A CSV takes two passes.
    expect(readsBefore).toEqual(format === "csv" ? [0, 1, 2, 3] : [0, 1]);
  },
);

/** Reads a stream to its end, piece by piece. */
async function piecesOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined) {
  const pieces: string[] = [];
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) return pieces;
    pieces.push(new TextDecoder().decode(next.value));
  }
}

test("§9 the first byte of a CSV is sent before any record is read", async () => {
  await send([clock.now()]);
  const samples = vi.spyOn(store.telemetry, "samples");
  const reader = (await open("format=csv")).body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(samples).not.toHaveBeenCalled();
  const text = new TextDecoder().decode(value) + (await piecesOf(reader)).join("");
  expect(text).toMatch(/^timestamp,n,other\r\n[^,]+,0,\r\n$/);
});

test("§7 a CSV without records is only its header, and a failed first read is an error status", async () => {
  expect(await (await open("format=csv")).text()).toBe("timestamp,other\r\n");
  expect((await open("format=csv&from=yesterday")).status).toBe(400);
  const headers = { authorization: "Bearer bob" };
  const request = new Request(`http://gateway.test${path}?format=csv`, { headers });
  expect((await toFetchHandler(gateway, { clientAddress: () => null })(request)).status).toBe(404);
});

test("§7 a CSV breaks off after its first byte if the device is released meanwhile", async () => {
  const reader = (await open("format=csv")).body?.getReader();
  await reader?.read();
  const headers = { authorization: "Bearer alice" };
  const url = "http://gateway.test/api/v1/user/devices/gw-1/claim";
  const released = await toFetchHandler(gateway, { clientAddress: () => null })(
    new Request(url, { method: "DELETE", headers }),
  );
  expect(released.status).toBe(204);
  await expect(piecesOf(reader)).rejects.toThrow("may not see device");
});

test.each(["csv", "ndjson"])("§9 a %s of large records is sent in small pieces", async (format) => {
  const note = "x".repeat(8_000);
  await store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt: clock.now(), once: null },
    records: Array.from({ length: 50 }, (_, n) => ({
      ...{ at: clock.now() - n, seq: n, isTimed: true },
      value: n === 25 ? { note: note.repeat(10) } : { note },
    })),
  });
  const pieces = await piecesOf((await open(`format=${format}`)).body?.getReader());
  for (const { length } of pieces) expect(length).toBeLessThanOrEqual(32 * 1024);
  expect(pieces.length, "and not in tiny ones").toBeLessThan(20);
  const lines = pieces.join("").trim().split("\n");
  expect(lines).toHaveLength(format === "csv" ? 51 : 50);
});

test("§9 an export whose client takes nothing any more is cancelled and logged", async () => {
  onTestFinished(() => void vi.useRealTimers());
  await send([clock.now()]);
  const reader = (await open()).body?.getReader();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await reader?.read();
  logged.mockClear();
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(reader?.read()).rejects.toThrow("took nothing");
  expect(logged).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ path, err: expect.any(CutStreamError) }),
    "A response stream was interrupted",
  );
});

test("§7 without a range, an export contains all stored records, including those slightly in the future", async () => {
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

test("§7 in a CSV, a metric that has the name of a fixed column is in the last column", async () => {
  await store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt: clock.now(), once: null },
    records: [{ at: clock.now(), seq: null, isTimed: true, value: { other: 1, voltage: 2 } }],
  });
  const [header, line] = (await (await open("format=csv")).text()).split("\r\n");
  expect(header).toBe("timestamp,voltage,other");
  expect(line).toContain('"{""other"":1}"');
});
