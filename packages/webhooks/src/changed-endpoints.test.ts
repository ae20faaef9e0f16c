import { silentLogger } from "@device-gateway/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { accept, type Receiver, startReceiver } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

const kinds = ["device.renamed"] as const;

/** Makes a receiver hold its first answer. The promise has the function that accepts the message. */
const holdFirst = (receiver: Receiver) =>
  new Promise<() => void>((resolve) => {
    receiver.answer = (response, received) => {
      receiver.answer = accept;
      resolve(() => accept(response, received));
    };
  });

/** Opens a world whose endpoint was sent the first of three messages, and has not answered yet. */
async function openSendingWorld() {
  const world = await createWebhookWorld();
  const { add, write, sender, receiver } = world;
  const { id } = (await add({ kinds })).endpoint;
  for (let n = 0; n < 3; n++) await write("gw-1");
  const first = holdFirst(receiver);
  const round = sender.runRounds();
  const answer = await first;
  /** Lets the sender look at its endpoints, as it does each second, and then the receiver answer. */
  const goOn = async () => {
    await sender.runRounds();
    answer();
    await round;
    await sender.runRounds();
  };
  return { ...world, id, goOn };
}

test.each(["removed", "disabled"])(
  "nothing more is sent to an endpoint that is %s while it is sent messages",
  async (how) => {
    const { id, goOn, manager, receiver, actor } = await openSendingWorld();
    if (how === "removed") await manager.remove({ id, actor });
    else await manager.change({ id, enabled: false, actor });
    await goOn();
    expect(receiver.received).toHaveLength(1);
  },
);

test("an endpoint that gets another URL while it is sent messages gets the remaining ones there", async () => {
  const { id, goOn, manager, receiver, actor } = await openSendingWorld();
  const other = await startReceiver();
  onTestFinished(() => other.close());
  await manager.change({ id, url: other.url, actor });
  await goOn();
  expect([receiver, other].map(({ received }) => received.length)).toEqual([1, 2]);
});

test("a new secret signs the remaining messages of an endpoint that is sent messages", async () => {
  const { id, goOn, manager, receiver, actor } = await openSendingWorld();
  await manager.rotateSecret({ id, actor });
  await goOn();
  const signatures = receiver.received.map(({ headers }) => headers["webhook-signature"]);
  expect(signatures.map((all) => String(all).split(" ").length)).toEqual([1, 2, 2]);
});

test("an endpoint that is changed before it answers 410 is disabled only if it answers so again", async () => {
  const warn = vi.fn();
  const { add, find, write, sender, receiver, clock, manager, auditKinds, actor } =
    await createWebhookWorld({ logger: { ...silentLogger, warn } });
  const { id } = (await add({ kinds })).endpoint;
  await write("gw-1");
  receiver.answer = (response) => {
    void manager
      .change({ id, filter: { kinds: [] }, actor })
      .then(() => response.writeHead(410).end());
  };
  await sender.runRounds();
  expect(await find(id)).toMatchObject({ enabled: true });
  expect(await auditKinds()).not.toContain("webhook.disabled");
  expect(warn).not.toHaveBeenCalled();
  receiver.answer = (response) => void response.writeHead(410).end();
  clock.advance(3_600_000);
  await sender.runRounds();
  expect(await find(id)).toMatchObject({ enabled: false });
  expect(await auditKinds()).toContain("webhook.disabled");
});

test("a stop counts as no failure of a receiver, and the messages that it interrupts are sent later", async () => {
  const { add, find, messages, write, sender, open, receiver, manager } =
    await createWebhookWorld();
  const { id } = (await add({ kinds })).endpoint;
  await manager.test({ id });
  await write("gw-1");
  const arrived = new Promise<void>((resolve) => {
    receiver.answer = () => void (receiver.received.length === 2 && resolve());
  });
  const round = sender.runRounds();
  await arrived;
  await sender.stop();
  await round;
  expect(await manager.attempts({ id, limit: 9 })).toEqual([]);
  expect(await find(id)).toMatchObject({ failingSince: null });
  expect((await messages(id)).waiting).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  receiver.answer = accept;
  await open().runRounds();
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids.slice(2).sort()).toEqual(ids.slice(0, 2).sort());
  expect(await messages(id)).toEqual({ waiting: [], dead: [] });
});
