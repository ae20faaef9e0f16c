import { StoreUnavailableError } from "@device-gateway/core/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { type AlertWorld, minuteMs, openAlertWorld } from "../testing/alert-world.js";
import { noteTurns } from "../testing/note-turns.js";

const dayMs = 24 * 60 * minuteMs;

const low = {
  condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 },
} as const;

async function openWith(devices: number) {
  const world = openAlertWorld();
  const ids = Array.from({ length: devices }, (_, n) => `gw-${n}`);
  for (const id of ids) await world.register(id);
  await world.addRule("low", low);
  await world.alerts.runOnce();
  return {
    world,
    fire: async (from: number, to: number, soc = 10) => {
      for (const id of ids.slice(from, to)) await world.send(id, { soc });
      world.clock.advance(1_000);
      await world.alerts.runOnce();
    },
  };
}

/** Returns how many notifications are due after a time, without taking them. */
async function countDue({ store, clock }: AlertWorld, ms: number): Promise<number> {
  const now = clock.now() + ms;
  const found = await store.alerts.takeNotifications({ now, until: now, limit: 1_000 });
  for (const { id, attempts, delivered, dueAt } of found) {
    await store.alerts.settleNotification({ id, attempts, delivered, retryAt: dueAt });
  }
  return found.length;
}

test("§8 a recipient gets up to five single messages a minute; more than five wait and become a digest", async () => {
  const { world, fire } = await openWith(20);
  await fire(0, 3);
  expect(world.messages.map(({ notifications }) => notifications.length)).toEqual([1, 1, 1]);
  await fire(3, 20);
  expect(world.messages).toHaveLength(3);
  await world.pass(minuteMs);
  expect(world.messages.map(({ notifications }) => notifications.length)).toEqual([1, 1, 1, 17]);
  const digest = world.messages.at(-1);
  expect(digest?.id).toMatch(/^digest-[0-9a-f]{24}$/);
  await fire(0, 6, 30);
  expect(world.messages).toHaveLength(4);
  await world.pass(2 * minuteMs);
  expect(world.messages.at(-1)?.notifications).toHaveLength(6);
});

test("§8 a recipient with hundreds of notifications delays none of another recipient", async () => {
  const { world, fire } = await openWith(350);
  await world.register("bobs", "bob");
  await world.addRule("bobs-rule", { ...low, ownerId: "bob" });
  await world.alerts.runOnce();
  await world.send("bobs", { soc: 10 });
  await fire(0, 350);
  const ofBob = () => world.messages.filter(({ ownerId }) => ownerId === "bob");
  expect(ofBob()).toHaveLength(1);
  // More of them wait for a later minute than the next minute can deliver.
  for (let round = 0; round < 9; round++) {
    world.clock.advance(1_000);
    await world.alerts.runOnce();
  }
  expect(await countDue(world, minuteMs)).toBe(100);
  await world.pass(4 * minuteMs);
  const sizes = world.messages.map(({ notifications }) => notifications.length);
  expect(sizes).toEqual([99, 1, 100, 100, 51]);
});

test("§8 a notification that waits for another minute is dropped after three days too", async () => {
  const { world, fire } = await openWith(150);
  world.failure = new Error("The mail server is down");
  await fire(0, 150);
  world.clock.advance(4 * 24 * 60 * minuteMs);
  for (let round = 0; round < 2; round++) await world.alerts.runOnce();
  expect(await countDue(world, 365 * 24 * 60 * minuteMs)).toBe(0);
});

test("§8 a delivery that fails is repeated with the same id, and is dropped after three days", async () => {
  const { world, fire } = await openWith(2);
  world.failure = new Error("The mail server is down");
  await fire(0, 1);
  await world.pass(minuteMs);
  expect(world.messages).toEqual([]);
  world.failure = null;
  await world.pass(10 * minuteMs);
  const [alert] = await world.store.alerts.firing(["gw-0"]);
  expect(world.messages.map(({ id }) => id)).toEqual([`${alert?.id}-firing`]);
  world.failure = new Error("The mail server is down");
  await fire(1, 2);
  world.clock.advance(4 * 24 * 60 * minuteMs);
  await world.pass(minuteMs);
  world.failure = null;
  world.clock.advance(24 * 60 * minuteMs);
  await world.pass(minuteMs);
  expect(world.messages).toHaveLength(1);
});

test("§8 a stop delivers no further messages, and leaves them to another process at once", async () => {
  const stopping = new AbortController();
  const sent: string[] = [];
  const send = async ({ id }: { id: string }) => {
    sent.push(id);
    stopping.abort();
  };
  const world = openAlertWorld({ channels: [{ name: "test", send }] });
  await world.addRule("low", low);
  for (const id of ["gw-1", "gw-2", "gw-3"]) await world.register(id);
  await world.alerts.runOnce();
  for (const id of ["gw-1", "gw-2", "gw-3"]) await world.send(id, { soc: 10 });
  world.clock.advance(1_000);
  await world.alerts.evaluate();
  await world.alerts.deliver(stopping.signal);
  expect(sent).toHaveLength(1);
  const other = openAlertWorld({ clock: world.clock }, world.store);
  await other.alerts.deliver();
  expect(other.messages).toHaveLength(2);
});

test("§8 a delivery ends before another process may repeat it", async () => {
  const sent: string[] = [];
  const send = async ({ id }: { id: string }) => {
    sent.push(id);
    world.clock.advance(5 * minuteMs);
  };
  const world: AlertWorld = openAlertWorld({ channels: [{ name: "test", send }] });
  await world.addRule("low", low);
  for (const id of ["gw-1", "gw-2"]) await world.register(id);
  await world.alerts.runOnce();
  for (const id of ["gw-1", "gw-2"]) await world.send(id, { soc: 10 });
  world.clock.advance(1_000);
  await world.alerts.evaluate();
  await world.alerts.deliver();
  expect(sent).toHaveLength(1);
  await world.alerts.deliver();
  expect(new Set(sent).size).toBe(2);
  expect(sent).toHaveLength(2);
});

test("§8 a channel that succeeded gets no repeat when another one fails", async () => {
  const sent: string[] = [];
  let failures = 2;
  const channels = [
    { name: "push", send: async ({ id }: { id: string }) => void sent.push(`push ${id}`) },
    {
      name: "mail",
      async send({ id }: { id: string }) {
        if (failures-- > 0) throw new Error("The mail server is down");
        sent.push(`mail ${id}`);
      },
    },
  ];
  const world = openAlertWorld({ channels });
  await world.register("gw-1");
  await world.addRule("low", low);
  await world.alerts.runOnce();
  await world.send("gw-1", { soc: 10 });
  await world.pass(20 * minuteMs);
  const [alert] = await world.store.alerts.firing(["gw-1"]);
  expect(sent).toEqual([`push ${alert?.id}-firing`, `mail ${alert?.id}-firing`]);
});

test("a clock that was ahead once does not hold back a notification whose delivery failed then", async () => {
  const { world, fire } = await openWith(1);
  world.clock.advance(30 * dayMs);
  world.failure = new Error("The mail server is down");
  await fire(0, 1);
  world.clock.advance(-30 * dayMs);
  world.failure = null;
  await world.alerts.deliver();
  expect(world.delivered()).toEqual(["firing gw-0"]);
});

test("a clock that was ahead once does not hold back further notifications of a recipient", async () => {
  const { world, fire } = await openWith(170);
  world.clock.advance(30 * dayMs);
  await fire(0, 150);
  // Fifty of them wait for a later minute.
  await world.alerts.runOnce();
  world.clock.advance(-30 * dayMs);
  await world.pass(minuteMs);
  await fire(150, 170);
  await world.pass(2 * minuteMs);
  const sizes = world.messages.map(({ notifications }) => notifications.length);
  expect(sizes).toEqual([100, 50, 20]);
});

/** Lets a rule of each owner fire about a new device, one after another. */
async function fireFor(world: ReturnType<typeof openAlertWorld>, owners: readonly string[]) {
  for (const ownerId of new Set(owners)) await world.addRule(ownerId, { ...low, ownerId });
  for (const [n, ownerId] of owners.entries()) {
    const id = `gw-${n + 1}`;
    await world.register(id, ownerId);
    await world.alerts.evaluate();
    await world.send(id, { soc: 10 });
    world.clock.advance(1_000);
    await world.alerts.evaluate();
  }
}

/** Delivers in rounds, each of which ends five minutes after a message has begun to hang. */
async function deliverInRounds(
  rounds: number,
  { alerts, clock }: AlertWorld,
  onHang: (note: () => void) => void,
): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (let round = 0; round < rounds; round++) {
    const hangs = new Promise<void>(onHang);
    const delivering = alerts.deliver();
    await hangs;
    clock.advance(5 * minuteMs);
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    await delivering;
  }
}

test("a channel that hangs holds up neither another channel nor the messages of other recipients", async () => {
  const sent: string[] = [];
  let noteHang = () => {};
  const hanging = {
    name: "mail",
    async send({ ownerId }: { ownerId: string | null }) {
      sent.push(`mail ${ownerId}`);
      if (ownerId !== "alice") return;
      noteHang();
      await new Promise(() => {});
    },
  };
  const push = {
    name: "push",
    send: async ({ ownerId }: { ownerId: string | null }) => void sent.push(`push ${ownerId}`),
  };
  const world = openAlertWorld({ channels: [hanging, push] });
  await fireFor(world, ["alice", "alice", "bob"]);
  await deliverInRounds(2, world, (note) => {
    noteHang = note;
  });
  const ofAlice = ["mail alice", "push alice"];
  expect(sent).toEqual([...ofAlice, "mail bob", "push bob", ...ofAlice]);
  expect(vi.getTimerCount()).toBe(0);
});

test("two recipients whose channel hangs do not keep others from their messages", async () => {
  const sent: (string | null)[] = [];
  let noteHang = () => {};
  const hanging = {
    name: "mail",
    async send({ ownerId }: { ownerId: string | null }) {
      sent.push(ownerId);
      if (ownerId === "carol") return;
      noteHang();
      await new Promise(() => {});
    },
  };
  const world = openAlertWorld({ channels: [hanging] });
  await fireFor(world, ["alice", "bob", "carol"]);
  await deliverInRounds(3, world, (note) => {
    noteHang = note;
  });
  expect(sent).toEqual(["alice", "bob", "carol", "alice"]);
});

test("what a round did not try because the store failed is delivered in the next round", async () => {
  const sent: (string | null)[] = [];
  const channel = {
    name: "mail",
    send: async ({ ownerId }: { ownerId: string | null }) => void sent.push(ownerId),
  };
  const world = openAlertWorld({ channels: [channel] });
  await fireFor(world, ["alice", "alice", "bob"]);
  const { settleNotification } = world.store.alerts;
  const settle = vi.spyOn(world.store.alerts, "settleNotification");
  settle.mockRejectedValueOnce(new StoreUnavailableError("The database does not answer."));
  await expect(world.alerts.deliver()).rejects.toThrow(StoreUnavailableError);
  settle.mockImplementation(settleNotification);
  await world.alerts.deliver();
  expect(sent).toEqual(["alice", "alice", "bob"]);
});

test("a message that begins late in a round has as much time as the others", async () => {
  const sent: (string | null)[] = [];
  let noteBegin = () => {};
  const begins = new Promise<void>((resolve) => (noteBegin = resolve));
  const slow = {
    name: "mail",
    async send({ ownerId }: { ownerId: string | null }) {
      sent.push(ownerId);
      if (ownerId === "alice") return world.clock.advance(4 * minuteMs);
      world.clock.advance(4 * minuteMs);
      const done = new Promise<void>((resolve) => setTimeout(resolve, 4 * minuteMs));
      noteBegin();
      await done;
    },
  };
  const world = openAlertWorld({ channels: [slow] });
  await fireFor(world, ["alice", "bob"]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const delivering = world.alerts.deliver();
  await begins;
  await vi.advanceTimersByTimeAsync(4 * minuteMs);
  await delivering;
  world.clock.advance(minuteMs);
  await world.alerts.deliver();
  expect(sent).toEqual(["alice", "bob"]);
});

test("two processes do not send the same message at once, although one of them was slow before it", async () => {
  const sent: string[] = [];
  let noteHang = () => {};
  const mail = {
    name: "mail",
    async send({ ownerId }: { ownerId: string | null }) {
      sent.push(`mail ${ownerId}`);
      if (ownerId === "alice") world.clock.advance(5 * minuteMs - 1_000);
    },
  };
  const sms = {
    name: "sms",
    async send({ ownerId }: { ownerId: string | null }) {
      sent.push(`sms ${ownerId}`);
      if (ownerId !== "bob" || sent.filter((one) => one === "sms bob").length > 1) return;
      noteHang();
      await new Promise(() => {});
    },
  };
  const channels = [mail, sms];
  const world: AlertWorld = openAlertWorld({ channels });
  const other = openAlertWorld({ channels, clock: world.clock }, world.store);
  await fireFor(world, ["alice", "bob"]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const rounds: Promise<number>[] = [];
  // The round of the second process begins when that of the first one has ended or hangs.
  for (const { alerts } of [world, other]) {
    const hangs = new Promise<void>((resolve) => (noteHang = resolve));
    const round = alerts.deliver();
    rounds.push(round);
    await Promise.race([round, hangs]);
    world.clock.advance(1_000);
  }
  world.clock.advance(5 * minuteMs);
  await vi.advanceTimersByTimeAsync(5 * minuteMs);
  await Promise.all(rounds);
  for (const { alerts } of [world, other]) {
    world.clock.advance(6 * minuteMs);
    await alerts.deliver();
  }
  expect(sent).toEqual(["mail alice", "sms alice", "mail bob", "sms bob", "sms bob"]);
});

test("a process that was suspended does not overwrite what another one has recorded meanwhile", async () => {
  const mails: string[] = [];
  const mail = { name: "mail", send: async ({ id }: { id: string }) => void mails.push(id) };
  const sms = {
    name: "sms",
    async send() {
      throw new Error("The SMS service is down");
    },
  };
  const suspended = {
    name: "mail",
    async send() {
      world.clock.advance(20 * minuteMs);
      await other.alerts.deliver();
      throw new Error("The connection was lost");
    },
  };
  const world: AlertWorld = openAlertWorld({ channels: [suspended, sms] });
  const other: AlertWorld = openAlertWorld(
    { channels: [mail, sms], clock: world.clock },
    world.store,
  );
  await fireFor(world, ["alice"]);
  await world.alerts.deliver();
  expect(mails).toHaveLength(1);
  await other.pass(20 * minuteMs);
  expect(mails).toHaveLength(1);
});

test("each of many notifications is settled in a turn of the event loop of its own", async () => {
  const { world, fire } = await openWith(200);
  const { settleNotification } = world.store.alerts;
  const turns = await noteTurns(async (note) => {
    vi.spyOn(world.store.alerts, "settleNotification").mockImplementation((input) => {
      note();
      return settleNotification(input);
    });
    // A digest of the first hundred. The others wait for a later minute.
    await fire(0, 200);
    world.clock.advance(1_000);
    await world.alerts.runOnce();
  });
  expect(world.messages.map(({ notifications }) => notifications.length)).toEqual([100]);
  expect(turns).toHaveLength(200);
  expect(new Set(turns).size).toBe(turns.length);
});
