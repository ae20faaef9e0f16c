import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess, type WireWorld } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const path = "/api/v1/dashboard/devices/gw-1/telemetry/live";
let world: WireWorld & { close(): Promise<void> };
let owner: string;
let token: string;

beforeEach(async () => {
  const store = createMemoryStore();
  world = await openWireWorld({
    serve: serveInProcess,
    openStore: async () => ({ store, dispose: () => store.close() }),
  });
  ({ token } = await world.register());
  owner = await world.signIn("alice");
  const body = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
  await world.call("claimDevice", { token: owner, body });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const send = (...records: object[]) => world.call("sendTelemetry", { token, body: records });

/** Opens a stream and collects its events. */
async function follow(lastEventId?: string, as = owner) {
  const response = await world.fetch(path, {
    headers: {
      authorization: `Bearer ${as}`,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
  });
  const reader = response.body?.getReader();
  let text = "";
  let ended = false;
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    ended = true;
  })();
  const events = () =>
    [...text.matchAll(/id: (\d+)\ndata: (.*)\n\n/g)].map(([, id, data]) => ({
      id: id as string,
      data: JSON.parse(data as string),
    }));
  return {
    status: response.status,
    headers: response.headers,
    events,
    values: () => events().map(({ data }) => data.a),
    text: () => text,
    ended: () => ended,
    async close() {
      await reader?.cancel();
      await reading;
    },
  };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Advances the time, and then waits for the turns of the event loop that no timer starts. */
async function seconds(count: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(count * 1_000);
  for (let n = 0; n < 50; n++) await turn();
}

test("§7 records arrive as events, with their position as the id", async () => {
  await send({ a: 0 });
  const stream = await follow();
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  // Middleware that compresses responses would collect events before it forwards them.
  expect(stream.headers.get("cache-control")).toBe("no-store, no-transform");
  await seconds(2);
  expect(stream.values()).toEqual([]);
  await send({ a: 1, note: "line\nbreak" }, { a: 2 });
  await seconds(1);
  expect(stream.values()).toEqual([1, 2]);
  expect(stream.events()[0]?.data).toEqual({
    a: 1,
    note: "line\nbreak",
    timestamp: new Date(world.clock.now()).toISOString(),
  });
  await seconds(30);
  expect(stream.text()).toContain(": still here");
  await stream.close();
});

test("§7 a stream resumes after the client's last event and misses nothing", async () => {
  const first = await follow();
  await send({ a: 1 }, { a: 2 });
  await seconds(1);
  const last = first.events().at(-1)?.id ?? "";
  await first.close();
  await send(...Array.from({ length: 450 }, (_, i) => ({ a: i + 3 })));
  const second = await follow(last);
  await send({ a: 453 });
  await seconds(2);
  expect(second.values()).toEqual(Array.from({ length: 451 }, (_, i) => i + 3));
  await second.close();
});

test("§7 streams end when the change feed is reset, because positions may have moved back", async () => {
  const stream = await follow();
  await send({ a: 1 });
  await seconds(1);
  expect(stream.values()).toEqual([1]);
  world.store.changes.since = async () => ({ kind: "reset", cursor: "0" });
  world.clock.advance(1_000);
  await send({ a: 2 });
  await seconds(1);
  expect(stream.ended()).toBe(true);
});

test("§7 a stream that ends before its first record resumes where it began", async () => {
  await send({ a: 0 });
  const first = await follow();
  await seconds(1);
  const [, began] = /^id: (\d+)$/m.exec(first.text()) ?? [];
  await first.close();
  await send({ a: 1 });
  const second = await follow(began);
  await seconds(1);
  expect(second.values()).toEqual([1]);
  await second.close();
});

test("§7 a stream that resumes after the last stored record, as after a restored backup, continues from now", async () => {
  await send({ a: 0 });
  const stream = await follow("5000");
  await seconds(1);
  await send({ a: 1 });
  await seconds(1);
  expect(stream.values()).toEqual([1]);
  await stream.close();
});

test("§9 a stream that has much to catch up on yields to the event loop between pages", async () => {
  await send(...Array.from({ length: 450 }, (_, a) => ({ a })));
  const read = vi.spyOn(world.store.telemetry, "read");
  const stream = await follow("0");
  const inEachTurn: number[] = [];
  for (let n = 0; n < 50; n++) {
    inEachTurn.push(read.mock.calls.length);
    read.mockClear();
    await turn();
  }
  expect(Math.max(...inEachTurn)).toBe(1);
  expect(stream.values()).toHaveLength(450);
  await stream.close();
});

/** Resumes a stream at the beginning. The argument is called for each turn that it asks for. */
async function resume(turn: () => Promise<void> = async () => {}) {
  const headers = new Map([
    ["authorization", `Bearer ${owner}`],
    ["last-event-id", "0"],
  ]);
  const { body } = await world.gateway.handle({
    ...{ path, query: "", method: "GET", clientAddress: null },
    header: (name) => headers.get(name),
    json: async () => ({ kind: "absent" }),
    stream: () => new ReadableStream(),
    turn,
  });
  if (typeof body === "string") throw new Error(body);
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    close: async () => iterator.return?.(),
  };
}

test("§0 a stream that resumes asks for a turn at its opening, and before and after each page of records that the client missed", async () => {
  await send(...Array.from({ length: 450 }, (_, a) => ({ a })));
  const lastPositions = vi.spyOn(world.store.telemetry, "lastPositions");
  const read = vi.spyOn(world.store.telemetry, "read");
  const callsBefore: (readonly [number, number])[] = [];
  const stream = await resume(async () => {
    callsBefore.push([lastPositions.mock.calls.length, read.mock.calls.length]);
  });
  // The first piece has no record.
  for (let n = 0; n <= 450; n++) expect((await stream.next()).done).toBe(false);
  expect(callsBefore).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
    [1, 2],
  ]);
  await stream.close();
});

test("§0 a stream whose client has gone while another one read does not read any more", async () => {
  await send({ a: 1 });
  const { telemetry } = world.store;
  const original = telemetry.read.bind(telemetry);
  let reads = 0;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  telemetry.read = async (range) => {
    reads += 1;
    await held;
    return original(range);
  };
  const streams = [await resume(), await resume()] as const;
  for (const stream of streams) await stream.next();
  const [first, second] = streams.map((stream) => stream.next());
  // Not by polling, which would advance the time.
  while (reads < 1) await turn();
  // Lets the second one reach its read.
  for (let n = 0; n < 10; n++) await turn();
  const closed = streams[1].close();
  goOn();
  expect((await first)?.value).toContain('"a":1');
  expect((await second)?.done).toBe(true);
  await closed;
  expect(reads).toBe(1);
  await streams[0].close();
});

test("§7 when the process stops, all streams end cleanly, and new ones at once", async () => {
  const streams = [await follow(), await follow()];
  await seconds(1);
  world.gateway.endLiveStreams();
  await seconds(0);
  expect(streams.map((stream) => stream.ended())).toEqual([true, true]);
  const late = await follow();
  await seconds(0);
  expect([late.status, late.ended()]).toEqual([200, true]);
});

test("§7 the store is polled once a second, however many clients watch a device", async () => {
  const streams = await Promise.all([follow(), follow(), follow()]);
  await seconds(1);
  const read = vi.spyOn(world.store.telemetry, "read");
  await seconds(10);
  expect(read).toHaveBeenCalledTimes(10);
  for (const stream of streams) await stream.close();
  read.mockClear();
  await seconds(10);
  expect(read).not.toHaveBeenCalled();
});

test("§7 a stream ends after an hour, so that its client authenticates again", async () => {
  const stream = await follow();
  await seconds(1);
  world.clock.advance(3_599_000);
  await send({ a: 1 });
  await seconds(1);
  expect([stream.values(), stream.ended()]).toEqual([[1], false]);
  world.clock.advance(1_000);
  await send({ a: 2 });
  await seconds(1);
  expect([stream.values(), stream.ended()]).toEqual([[1, 2], true]);
});

/** Opens a stream and reads only its first piece while records arrive. Returns a function that reads on. */
async function fallBehind(records: number) {
  const response = await world.fetch(path, { headers: { authorization: `Bearer ${owner}` } });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("The response has no body.");
  await reader.read();
  for (let sent = 0; sent < records; sent += 500) {
    await send(...Array.from({ length: 500 }, (_, n) => ({ a: sent + n })));
    for (let poll = 0; poll < 4; poll++) await seconds(1);
  }
  return async () => {
    const { done, value } = await reader.read();
    return done ? undefined : new TextDecoder().decode(value);
  };
}

test("§7 a client that takes nothing is cut off, and its waiting records are dropped", async () => {
  const read = await fallBehind(1_500);
  expect(await read()).toBeUndefined();
});

test("§7 a client that is 1,000 records behind is not cut off", async () => {
  const read = await fallBehind(1_000);
  for (let a = 0; a < 1_000; a++) expect(await read()).toContain(`"a":${a},`);
});

test("§7 a failed start, HEAD and concurrent starts never take more places than they have streams", async () => {
  const read = vi.spyOn(world.store.telemetry, "lastPositions");
  read.mockRejectedValue(new Error("locked"));
  for (let i = 0; i < 6; i++) {
    const broken = await world.fetch(path, { headers: { authorization: `Bearer ${owner}` } });
    await expect(broken.text()).rejects.toThrow();
  }
  read.mockRestore();
  for (let i = 0; i < 6; i++) {
    const head = await world.fetch(path, {
      method: "HEAD",
      headers: { authorization: `Bearer ${owner}` },
    });
    expect(head.status).toBe(200);
  }
  const many = await Promise.all(Array.from({ length: 12 }, () => follow()));
  const statuses = many.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
});

test("§7 a user has at most five streams, and a stream ends when the user may not see the device any more", async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => follow()));
  await seconds(1);
  const sixth = await follow();
  expect(sixth.status).toBe(429);
  expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThanOrEqual(5);
  await streams[0]?.close();
  const again = await follow();
  expect(again.status).toBe(200);

  await world.call("releaseDevice", { token: owner, params: { deviceId: "gw-1" } });
  await seconds(16);
  expect(again.ended()).toBe(true);
  expect((await follow()).status).toBe(404);
});
