import type { GatewayStore } from "@device-gateway/core";
import type { SecurityEvent } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import { sampleEvent } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { accept, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const hourMs = 3_600_000;
const kinds = ["device.renamed", "device.claimed"] as const;

/** Opens a world in which bob owns gw-1 and has an endpoint. Carol owns gw-2. */
async function openOwnersWorld(store?: GatewayStore) {
  const world = await createWebhookWorld({ forOwners: true }, store);
  const { endpoint } = await world.add({ kinds }, world.receiver.url, "bob");
  for (const [deviceId, ownerId] of [
    ["gw-1", "bob"],
    ["gw-2", "carol"],
  ] as const) {
    await world.write(deviceId, "device.registered");
    await world.claim(deviceId, ownerId);
  }
  const sent = () => world.receiver.received.map(({ type, deviceId }) => `${type} ${deviceId}`);
  return { ...world, id: endpoint.id, sent };
}

test("an owner's endpoint gets the events of their own devices while they own them", async () => {
  const { write, sender, release, claim, sent, clock } = await openOwnersWorld();
  await write("gw-1");
  await write("gw-2");
  await sender.runRounds();
  expect(sent()).toEqual(["device.claimed gw-1", "device.renamed gw-1"]);
  await release("gw-2", "carol");
  clock.advance(1_000);
  await claim("gw-2", "bob");
  await release("gw-1", "bob");
  await write("gw-1");
  await write("gw-2");
  await sender.runRounds();
  expect(sent().slice(2)).toEqual(["device.claimed gw-2", "device.renamed gw-2"]);
});

test("a message to an owner has no address and no id of another person", async () => {
  const { store, sender, receiver } = await openOwnersWorld();
  for (const actor of ["olga", "bob", "gateway"]) {
    const event = { ...sampleEvent("gw-1"), kind: "device.renamed", actor } as const;
    const from = { ...event, clientAddress: "198.51.100.7" };
    await store.devices.rename({ deviceId: "gw-1", ownerId: null, name: "Boat", event: from });
  }
  await sender.runRounds();
  const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { data: object });
  expect(bodies.slice(1).map(({ data }) => data)).toMatchObject([
    { actor: null },
    { actor: "bob" },
    { actor: "gateway" },
  ]);
  expect(JSON.stringify(bodies)).not.toMatch(/olga|198\.51/);
});

test("an owner's endpoint gets alerts of the owner's own rules, and no events of operators' work", async () => {
  const { add, store, sender, receiver } = await openOwnersWorld();
  await add({}, `${receiver.url}?all`, "bob");
  const alert = (ownerId: string | null): SecurityEvent => ({
    ...sampleEvent("gw-1"),
    ...{ kind: "alert.firing", actor: "gateway", details: { ownerId, name: `of ${ownerId}` } },
  });
  const steered = { ...sampleEvent("gw-1"), kind: "device.steered", actor: "olga" } as const;
  for (const event of [alert(null), alert("carol"), steered, alert("bob")]) {
    await store.devices.rename({ deviceId: "gw-1", ownerId: null, name: "Boat", event });
  }
  await sender.runRounds();
  const fired = receiver.received.filter(({ type }) => !kinds.some((kind) => kind === type));
  expect(fired.map(({ type }) => type)).toEqual(["alert.firing"]);
  expect(fired[0]?.body).toContain("of bob");
});

test.each([
  ["is released", false],
  ["is released and claimed again by the same person", true],
])(
  "when a device %s, waiting messages and dead letters about it are never sent",
  async (_, again) => {
    const world = await openOwnersWorld();
    const { id, write, sender, receiver, release, claim, clock, manager, messages, sent } = world;
    await sender.runRounds();
    receiver.answer = refuse;
    await write("gw-1");
    await sender.runRounds();
    const [message] = (await messages(id)).waiting;
    if (message === undefined) throw new Error("Nothing waits.");
    const deadLetter = { ...message, messageId: "evt_dead" };
    await world.store.webhooks.record({
      ...{ endpointId: id, attempts: [], waiting: [], dead: [deadLetter], arrived: [], events: [] },
      keep: { attempts: 9, dead: 9 },
    });
    const before = receiver.received.length;
    await release("gw-1", "bob");
    clock.advance(1_000);
    if (again) await claim("gw-1", "bob");
    receiver.answer = accept;
    expect(await messages(id)).toEqual({ waiting: [], dead: [] });
    expect(await manager.retryDead({ id })).toBe(0);
    clock.advance(hourMs);
    await sender.runRounds();
    await sender.runRounds();
    const stored = await world.store.webhooks.waiting({ endpointId: id, limit: 9 });
    expect(stored).toEqual([]);
    await manager.replay({ id, from: 0, actor: "bob" });
    await sender.runRounds();
    expect(sent().slice(before)).toEqual(again ? Array(2).fill("device.claimed gw-1") : []);
  },
);

test("a new owner gets no event from before their claim, not even by a replay", async () => {
  const { add, write, sender, receiver, release, claim, manager } = await openOwnersWorld();
  await write("gw-1");
  await sender.runRounds();
  const { endpoint } = await add({}, `${receiver.url}?carol`, "carol");
  await release("gw-1", "bob");
  // In the same millisecond.
  await claim("gw-1", "carol");
  await write("gw-1");
  const before = receiver.received.length;
  await manager.replay({ id: endpoint.id, from: 0, actor: "carol" });
  await sender.runRounds();
  const got = receiver.received.slice(before).filter(({ deviceId }) => deviceId === "gw-1");
  expect(got.map(({ type }) => type)).toEqual(["device.claimed", "device.renamed"]);
  expect(got.map(({ body }) => body).join()).not.toContain("bob");
});

test("a message is not sent if its device is released between the choice of the message and the attempt", async () => {
  const real = createMemoryStore();
  let act: (() => Promise<void>) | undefined;
  const store: GatewayStore = {
    ...real,
    followers: {
      ...real.followers,
      async take(input) {
        const taken = await real.followers.take(input);
        await act?.();
        return taken;
      },
    },
    webhooks: {
      ...real.webhooks,
      async waiting(input) {
        const waiting = await real.webhooks.waiting(input);
        await act?.();
        return waiting;
      },
    },
  };
  const { id, write, sender, receiver, release, clock, messages } = await openOwnersWorld(store);
  await sender.runRounds();
  receiver.answer = refuse;
  await write("gw-1");
  await sender.runRounds();
  expect((await messages(id)).waiting).toHaveLength(1);
  const before = receiver.received.length;
  clock.advance(hourMs);
  receiver.answer = accept;
  act = () => release("gw-1", "bob");
  await sender.runRounds();
  expect(receiver.received).toHaveLength(before);
});

test("of two senders, one at a time sends to an owner's endpoint, and idle ones do not keep the lease", async () => {
  const { open, write, sender, clock, sent } = await openOwnersWorld();
  const other = open();
  await sender.runRounds();
  await write("gw-1");
  await Promise.all([sender.runRounds(), other.runRounds()]);
  expect(sent()).toEqual(["device.claimed gw-1", "device.renamed gw-1"]);
  clock.advance(30_000);
  await write("gw-1");
  await other.runRounds();
  await write("gw-1");
  await sender.runRounds();
  expect(sent()).toHaveLength(3);
  clock.advance(30_000);
  await sender.runRounds();
  await other.runRounds();
  expect(sent(), "each event once").toHaveLength(4);
});

test("an endpoint that gets nothing costs no writes, and its place is stored now and then", async () => {
  const real = createMemoryStore();
  let writes = 0;
  const store: GatewayStore = {
    ...real,
    followers: {
      ...real.followers,
      take: (input) => {
        writes++;
        return real.followers.take(input);
      },
    },
  };
  const { write, sender, clock, sent } = await openOwnersWorld(store);
  await sender.runRounds();
  await sender.runRounds();
  const before = writes;
  for (let n = 0; n < 90; n++) {
    await write("gw-2");
    await sender.runRounds();
  }
  expect(writes).toBe(before);
  clock.advance(hourMs);
  await sender.runRounds();
  expect(writes).toBe(before + 1);
  await write("gw-1");
  await sender.runRounds();
  expect(sent().at(-1)).toBe("device.renamed gw-1");
});

test("an owner's endpoint passes over 1,000 events of other people in a round, and over more in the next", async () => {
  const { id, write, sender, sent, manager } = await openOwnersWorld();
  await sender.runRounds();
  for (let n = 0; n < 1_150; n++) await write("gw-2");
  await write("gw-1");
  await manager.replay({ id, from: 0, actor: "bob" });
  const before = sent().length;
  await sender.runRounds();
  expect(sent().slice(before)).toEqual(["device.claimed gw-1"]);
  await sender.runRounds();
  expect(sent().slice(before)).toEqual(["device.claimed gw-1", "device.renamed gw-1"]);
});

test("a burst of other people's events does not delay an event of an endpoint that was at the end of the log", async () => {
  const { write, sender, sent } = await openOwnersWorld();
  await sender.runRounds();
  for (let n = 0; n < 1_500; n++) await write("gw-2");
  await write("gw-1");
  await sender.runRounds();
  expect(sent().at(-1)).toBe("device.renamed gw-1");
});

test("a round reads the list of endpoints once, and again only for endpoints that have more to send", async () => {
  const real = createMemoryStore();
  let reads = 0;
  const store: GatewayStore = {
    ...real,
    webhooks: {
      ...real.webhooks,
      list: () => {
        reads++;
        return real.webhooks.list();
      },
    },
  };
  const { add, write, sender, sent, receiver } = await openOwnersWorld(store);
  for (let n = 0; n < 4; n++) await add({ kinds }, receiver.url, "carol");
  const countReads = async () => {
    reads = 0;
    await sender.runRounds();
    return reads;
  };
  expect(await countReads()).toBe(1);
  expect(await countReads()).toBe(1);
  for (let n = 0; n < 120; n++) await write("gw-1");
  expect(await countReads(), "one of the five reads a second page").toBe(2);
  expect(sent()).toHaveLength(121);
});

test("owners have five endpoints each, choose among their kinds, and name no other owners", async () => {
  const { manager, receiver } = await openOwnersWorld();
  const create = (ownerId: string | null, filter: object) =>
    manager.create({ url: receiver.url, filter, ownerId, actor: "bob" });
  for (const filter of [{ kinds: ["device.steered"] }, { ownerIds: ["carol"] }]) {
    expect(await create("bob", filter)).toMatchObject({ kind: "invalid" });
  }
  const [one] = await manager.list();
  const id = one?.id ?? "";
  const filter = { ownerIds: ["carol"] };
  expect(await manager.change({ id, filter, actor: "bob" })).toMatchObject({ kind: "invalid" });
  for (let n = 0; n < 4; n++) expect(await create("bob", {})).toMatchObject({ kind: "created" });
  expect(await create("bob", {})).toEqual({ kind: "full" });
  expect(await create(null, {})).toMatchObject({ kind: "created" });
});

test("nothing is sent to endpoints of owners after the option was turned off", async () => {
  const world = await openOwnersWorld();
  const { createSender } = await import("./start-webhooks.js");
  const sender = createSender(world.store, { ...world.options, forOwners: false });
  await world.write("gw-1");
  await sender.runRounds();
  expect(world.sent()).toEqual([]);
  await sender.stop();
});
