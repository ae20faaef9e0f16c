import type { SecurityEvent } from "@device-gateway/core/store";
import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { sampleEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { toTestMessage } from "./message.js";
import { accept, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const hourMs = 3_600_000;

test("a failing event holds back only its own device, and the events of a device arrive in order", async () => {
  const { add, write, sender, receiver, clock } = await createWebhookWorld();
  await add({ kinds: ["device.renamed"] });
  receiver.answer = (response, received) =>
    (received.deviceId === "bad" ? refuse : accept)(response, received);
  for (const id of ["good", "bad", "bad", "good", "other", "bad"]) await write(id);
  await sender.runRounds();
  const sentTo = (id: string) =>
    receiver.received.filter(({ deviceId }) => deviceId === id).map(({ sequence }) => sequence);
  expect(sentTo("good")).toHaveLength(2);
  expect(sentTo("other")).toHaveLength(1);
  expect(sentTo("bad")).toHaveLength(1);
  // For an hour.
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(60_000);
    await write("good");
    await sender.runRounds();
  }
  expect(sentTo("good")).toHaveLength(62);
  const tries = sentTo("bad").length;
  expect(tries, "the pauses grow").toBeLessThan(12);
  expect(new Set(sentTo("bad")).size).toBe(1);
  receiver.answer = accept;
  clock.advance(hourMs);
  await sender.runRounds();
  await sender.runRounds();
  const bad = sentTo("bad").slice(tries);
  expect(bad).toEqual([...bad].sort((a, b) => a - b));
  expect(new Set(bad).size).toBe(3);
});

test("a message that fails for three days becomes a dead letter, is recorded in the audit trail, and can be sent again", async () => {
  const world = await createWebhookWorld();
  const { add, write, sender, receiver, clock, manager, auditKinds } = world;
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  receiver.answer = (response, received) =>
    (received.deviceId === "bad" ? refuse : accept)(response, received);
  await write("bad");
  for (let hour = 0; hour <= 73; hour++) {
    await write("good");
    await sender.runRounds();
    clock.advance(hourMs);
  }
  const read = () => world.messages(endpoint.id);
  expect(await read()).toMatchObject({ waiting: [], dead: [{ queue: "bad" }] });
  expect((await auditKinds()).filter((kind) => kind === "webhook.dead_lettered")).toHaveLength(1);
  receiver.answer = accept;
  expect(await manager.retryDead({ id: endpoint.id })).toBe(1);
  await sender.runRounds();
  expect(await read()).toMatchObject({ waiting: [], dead: [] });
  expect(receiver.received.at(-1)?.deviceId).toBe("bad");
});

test("dead letters of one device that are sent again hold back no event of other devices", async () => {
  const { add, write, sender, receiver, manager, messages, arrivals } = await createWebhookWorld();
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  receiver.answer = (response, received) =>
    (received.deviceId === "bad" ? refuse : accept)(response, received);
  for (let n = 0; n < 650; n++) await write("bad");
  for (let round = 0; round < 8; round++) await sender.runRounds();
  expect((await messages(id)).dead.length).toBeGreaterThan(400);
  await manager.retryDead({ id });
  await write("good");
  for (let round = 0; round < 3; round++) await sender.runRounds();
  expect(arrivals()).toContain("good");
});

test("dead letters that are sent again leave room for new messages", async () => {
  const { add, store, manager, messages, clock } = await createWebhookWorld();
  const { id } = (await add()).endpoint;
  const dead = Array.from({ length: 7 }, (_, device) =>
    Array.from({ length: 70 + 10 * device }, (_, n) => ({
      ...toTestMessage(`${device}-${n}`, clock.now()),
      ...{ eventId: n + 1, queue: `gw-${device}` },
    })),
  ).flat();
  const nothing = { attempts: [], waiting: [], arrived: [], events: [] };
  await store.webhooks.record({
    ...{ endpointId: id, ...nothing, dead: dead.slice(-500), keep: { attempts: 9, dead: 500 } },
  });
  expect(await manager.retryDead({ id })).toBeLessThan(500);
  const { waiting, dead: left } = await messages(id);
  expect(waiting.length + left.length).toBe(500);
  for (const queue of new Set(waiting.map((each) => each.queue))) {
    const ofQueue = waiting.filter((each) => each.queue === queue);
    expect(ofQueue.length).toBeLessThanOrEqual(100);
  }
});

test("dead letters about dead letters are not written to the audit trail", async () => {
  const { add, write, sender, receiver, store } = await createWebhookWorld();
  await add();
  // Other devices' messages arrive, so the endpoint is not failing.
  receiver.answer = (response, received) =>
    (received.deviceId === "good" ? accept : refuse)(response, received);
  for (let n = 0; n < 320; n++) await write("bad");
  for (let round = 0; round < 16; round++) {
    await write("good");
    await sender.runRounds();
  }
  const page = { after: 0, limit: 10_000, kinds: ["webhook.dead_lettered"] } as const;
  const about = (await store.securityEvents.list(page)).map(({ details }) => details["about"]);
  // 100 messages of "bad" wait. The last dead letter is the message about the creation of the endpoint: more than 100
  // messages without a device waited for it, all about dead letters.
  expect(about).toEqual([...Array<string>(220).fill("bad"), ""]);
});

test("an endpoint of an owner gets no event from before the device was theirs", async () => {
  const { add, write, sender, receiver, manager, store, clock, actor } = await createWebhookWorld();
  const { endpoint } = await add({ ownerIds: ["bob"] });
  await write("gw-1", "device.registered");
  const own = async (ownerId: string) => {
    clock.advance(1_000);
    const now = clock.now();
    const event = { ...sampleEvent("gw-1"), kind: "device.assigned", at: now } as const;
    await store.claims.assign({ deviceId: "gw-1", ownerId, now, event });
  };
  await own("alice");
  clock.advance(1_000);
  await write("gw-1");
  const event = { ...sampleEvent("gw-1"), kind: "device.released", at: clock.now() } as const;
  await store.claims.release({ deviceId: "gw-1", ownerId: "alice", spendCode: false, event });
  await own("bob");
  await sender.runRounds();
  await manager.replay({ id: endpoint.id, from: 0, actor });
  await sender.runRounds();
  expect(receiver.received.map(({ type }) => type)).toEqual(["device.assigned", "device.assigned"]);
});

test("an endpoint that answers nothing for five days is disabled, with few attempts, and misses no recent event", async () => {
  const { add, write, sender, receiver, clock, manager, find, auditKinds, actor } =
    await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  receiver.answer = refuse;
  for (let hour = 0; hour <= 122; hour++) {
    await write(`gw-${hour}`);
    await sender.runRounds();
    clock.advance(hourMs);
  }
  expect(await find(endpoint.id)).toMatchObject({
    enabled: false,
    disabledReason: "Every attempt failed for five days",
  });
  expect(await auditKinds()).toContain("webhook.disabled");
  const tried = receiver.received.length;
  expect(tried).toBeLessThan(2_000);
  await sender.runRounds();
  expect(receiver.received).toHaveLength(tried);
  receiver.answer = accept;
  await manager.change({ id: endpoint.id, enabled: true, actor });
  await manager.retryDead({ id: endpoint.id });
  for (let round = 0; round < 9; round++) {
    clock.advance(hourMs);
    await sender.runRounds();
  }
  const arrived = new Set(receiver.received.slice(tried).map(({ deviceId }) => deviceId));
  expect(arrived.size).toBe(123);
});

test("an endpoint that answers 410 is disabled at once", async () => {
  const { add, write, sender, receiver, find } = await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  receiver.answer = (response) => void response.writeHead(410).end();
  await write("gw-1");
  await sender.runRounds();
  expect(await find(endpoint.id)).toMatchObject({ enabled: false });
});

test.each<[string, typeof accept, RegExp, { readonly timeoutMs: number }?]>([
  ["hangs", () => {}, /no complete response/, { timeoutMs: 300 }],
  [
    "closes the connection within the body",
    (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("part", () => response.destroy());
    },
    /aborted|ended|hang up/,
  ],
  [
    "answers 101 and switches to another protocol",
    (response) => {
      const head = ["HTTP/1.1 101 Switching Protocols", "connection: Upgrade", "upgrade: x"];
      response.socket?.end(`${head.join("\r\n")}\r\n\r\n`);
    },
    /without a response/,
  ],
  [
    "answers 500 and ends the body with the connection",
    (response) => void response.socket?.end("HTTP/1.1 500 Failed\r\n\r\nend"),
    /answered with 500/,
  ],
  ["closes the connection at once", (response) => void response.destroy(), /hang up|ended/],
  [
    "redirects to the metadata service",
    (response) =>
      void response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data" }).end(),
    /answered with 307/,
  ],
  [
    "answers 500 with a megabyte",
    (response) => void response.writeHead(500).end("x".repeat(1e6)),
    /500/,
  ],
])("a receiver that %s gets the message again later", async (_, answer, error, options) => {
  const world = await createWebhookWorld(options);
  const { add, write, sender, receiver, clock, manager } = world;
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  receiver.answer = answer;
  await write("gw-1");
  await sender.runRounds();
  const [attempt] = await manager.attempts({ id: endpoint.id, limit: 1 });
  expect(attempt?.error).toMatch(error);
  expect(attempt?.response.length).toBeLessThanOrEqual(1_024);
  receiver.answer = accept;
  clock.advance(hourMs);
  await sender.runRounds();
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([ids[0], ids[0]]);
});

test("one process at a time sends, and another one takes over when it has died", async () => {
  const { add, write, sender, open, clock, arrivals } = await createWebhookWorld();
  await add({ kinds: ["device.renamed"] });
  const other = open();
  await write("a");
  await sender.runRounds();
  await write("b");
  await other.runRounds();
  expect(arrivals()).toEqual(["a"]);
  clock.advance(30_000);
  await other.runRounds();
  await sender.runRounds();
  expect(arrivals()).toEqual(["a", "b"]);
  await write("c");
  await other.stop();
  await sender.runRounds();
  expect(arrivals(), "a stopped process gives the lease back").toEqual(["a", "b", "c"]);
});

test("events since a time are sent again with their ids", async () => {
  const { add, write, sender, receiver, clock, manager, arrivals, actor } =
    await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  for (const id of ["a", "b", "c"]) {
    await write(id);
    clock.advance(hourMs);
  }
  await sender.runRounds();
  const from = clock.now() - 2 * hourMs;
  expect(await manager.replay({ id: endpoint.id, from, actor })).toMatchObject({
    kind: "replaying",
  });
  await sender.runRounds();
  expect(arrivals().slice(0, 3).sort()).toEqual(["a", "b", "c"]);
  expect(arrivals().slice(3).sort()).toEqual(["b", "c"]);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
});

test("an endpoint behind the retention is told about the gap", async () => {
  const { add, write, sender, receiver, store, clock, manager, actor } = await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["update.moved", "device.renamed"] });
  await manager.change({ id: endpoint.id, enabled: false, actor });
  await write("gw-1", "update.moved");
  await store.securityEvents.prune({ kind: "update.moved", before: clock.now() + 1, limit: 9 });
  await write("gw-1");
  await manager.change({ id: endpoint.id, enabled: true, actor });
  await sender.runRounds();
  await sender.runRounds();
  expect(receiver.received.map(({ type }) => type).sort()).toEqual([
    "device.renamed",
    "events.gap",
  ]);
});

test("a test message is sent once, even while all others wait", async () => {
  const { add, write, sender, receiver, clock, manager } = await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  receiver.answer = refuse;
  await write("gw-1");
  await sender.runRounds();
  expect(await manager.test({ id: endpoint.id })).toMatchObject({ kind: "sent" });
  await sender.runRounds();
  clock.advance(hourMs);
  await sender.runRounds();
  const types = receiver.received.map(({ type }) => type);
  expect(types.filter((type) => type === "webhook.test")).toHaveLength(1);
});

test("a filter limits the events by kind, device, hardware and owner", async () => {
  const { add, write, sender, receiver, store } = await createWebhookWorld();
  for (const id of ["gw-1", "gw-2"]) await write(id, "device.registered");
  const event: SecurityEvent = {
    ...sampleEvent("gw-2"),
    ...{ kind: "device.assigned", at: 1, actor: "olga", clientAddress: "198.51.100.7" },
  };
  await store.claims.assign({ deviceId: "gw-2", ownerId: "ann", now: 1, event });
  await add({ deviceIds: ["gw-1"], kinds: ["device.renamed"] });
  await add({ ownerIds: ["ann"] });
  await add({ targetHardware: ["unknown"] });
  for (const id of ["gw-1", "gw-2"]) await write(id);
  await sender.runRounds();
  expect(receiver.received.map(({ deviceId }) => deviceId).sort()).toEqual(["gw-1", "gw-2"]);
  expect(receiver.received.map(({ body }) => body).join()).not.toContain("198.51.100.7");
});

test("the store has neither the secret nor the credentials of a URL, and nobody is shown them again", async () => {
  const state = createMemoryState();
  const { add, manager, write, sender, receiver, messages } = await createWebhookWorld(
    {},
    createMemoryStore(state),
  );
  const url = receiver.url.replace("http://", "http://user:planted-password@");
  const { endpoint, secret } = await add({ kinds: ["device.renamed"] }, `${url}?key=planted-key`);
  const { id } = endpoint;
  const basic = Buffer.from("user:planted-password").toString("base64");
  const attempts = () => manager.attempts({ id, limit: 9 });
  const toText = (value: unknown) =>
    JSON.stringify(value, (_, each) => (each instanceof Map ? [...each] : each));
  const expectNothingPlanted = async () => {
    const stored = toText(state);
    expect(stored).toContain(id);
    const shown = toText([await manager.list(), await messages(id), await attempts()]);
    for (const planted of ["planted", basic, secret, secret.slice(6)])
      expect(stored + shown).not.toContain(planted);
  };
  await expectNothingPlanted();
  await write("gw-1");
  await sender.runRounds();
  receiver.answer = (response) => void response.writeHead(500).end("no");
  await write("gw-1");
  await sender.runRounds();
  expect((await attempts()).map(({ status }) => status)).toEqual([500, 204]);
  await expectNothingPlanted();
  expect(receiver.received[0]?.headers.authorization).toBe(`Basic ${basic}`);
});
