import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWireWorld, serveInProcess, type WireWorld } from "../testing/index.js";
import { createMemoryStore } from "../testing/memory-store.js";

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

/** Opens a stream and gathers what comes of it. */
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
  const pump = (async () => {
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
      // A stream notices at its next heartbeat that nobody reads it any more.
      const cancelled = reader?.cancel();
      await vi.advanceTimersByTimeAsync(15_000);
      await cancelled;
      await pump;
    },
  };
}
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

test("§7 records come as events as they are sent, with their position as the id", async () => {
  await send({ a: 0 });
  const stream = await follow();
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
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

test("§7 a stream resumes after the last event that the client has, and misses nothing", async () => {
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

test("§7 however many watch a device, the store is asked once a second", async () => {
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

test("§7 five streams a user; a stream ends when the device is no longer theirs", async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => follow()));
  await seconds(1);
  const sixth = await follow();
  expect([sixth.status, sixth.headers.get("retry-after")]).toEqual([429, "5"]);
  await streams[0]?.close();
  const again = await follow();
  expect(again.status).toBe(200);

  await world.call("releaseDevice", { token: owner, params: { deviceId: "gw-1" } });
  await seconds(16);
  expect(again.ended()).toBe(true);
  expect((await follow()).status).toBe(404);
});
