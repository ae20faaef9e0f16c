import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import { accept, type Received, refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";
import { signMessage } from "./webhook-secret.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const headersOf = ({ headers }: Received) => headers as Record<string, string>;

test("libraries that we did not write verify the messages, during the rotation of a secret as well", async () => {
  const { add, write, sender, receiver, manager, clock, actor } = await createWebhookWorld({
    clock: { now: () => Date.now() },
  });
  const { endpoint, secret } = await add();
  await write("gw-1");
  await sender.runRounds();
  const rotated = await manager.rotateSecret({ id: endpoint.id, actor });
  const second = rotated.kind === "rotated" ? rotated.secret : "";
  await write("gw-1");
  await sender.runRounds();
  const [first, ...later] = receiver.received;
  const verify = (message: Received | undefined, key: string) => {
    if (message === undefined) throw new Error("no message");
    const headers = headersOf(message);
    new StandardWebhook(key).verify(message.body, headers);
    new SvixWebhook(key).verify(message.body, headers);
    expect(() => new StandardWebhook(key).verify(`${message.body} `, headers)).toThrow();
  };
  verify(first, secret);
  expect(() => verify(first, second)).toThrow();
  const last = later.at(-1);
  for (const key of [secret, second]) verify(last, key);
  expect(secret).toMatch(/^whsec_/);
  expect(clock.now()).toBeGreaterThan(0);
});

test("a former secret signs for one day", async () => {
  const { add, write, sender, receiver, manager, clock, actor } = await createWebhookWorld();
  const { endpoint } = await add({ kinds: ["device.renamed"] });
  await manager.rotateSecret({ id: endpoint.id, actor });
  for (const after of [dayMs - 1, 1]) {
    clock.advance(after);
    await write("gw-1");
    await sender.runRounds();
  }
  const counts = receiver.received.map(
    (each) => String(each.headers["webhook-signature"]).split(" ").length,
  );
  expect(counts).toEqual([2, 1]);
});

test("a secret that was replaced twice still signs for one day, and at most five former ones do", async () => {
  const { add, write, sender, receiver, manager, clock, actor } = await createWebhookWorld();
  const { endpoint, secret } = await add({ kinds: ["device.renamed"] });
  const secrets = [secret];
  const rotate = async () => {
    const rotated = await manager.rotateSecret({ id: endpoint.id, actor });
    if (rotated.kind === "rotated") secrets.push(rotated.secret);
    clock.advance(hourMs);
  };
  /** Returns which secrets sign, by their order of creation. */
  const readSigners = async () => {
    await write("gw-1");
    await sender.runRounds();
    const { headers, body } = receiver.received.at(-1) as Received;
    const timestamp = Number(headers["webhook-timestamp"]);
    const message = { messageId: String(headers["webhook-id"]), timestamp, body };
    const signatures = String(headers["webhook-signature"]).split(" ");
    return [...secrets.keys()].filter((n) =>
      signatures.includes(signMessage(message, [secrets[n] as string])),
    );
  };
  await write("gw-1", "device.registered");
  await rotate();
  await rotate();
  expect(await readSigners()).toEqual([0, 1, 2]);
  clock.advance(dayMs - 2 * hourMs);
  expect(await readSigners()).toEqual([1, 2]);
  for (let n = 0; n < 5; n++) await rotate();
  expect(await readSigners()).toEqual([2, 3, 4, 5, 6, 7]);
});

test("a message has the type, the time, the device and a sequence, and each attempt has the same id", async () => {
  const { add, write, sender, receiver, clock } = await createWebhookWorld();
  await add({ kinds: ["device.claimed"] });
  receiver.answer = refuse;
  await write("gw-1", "device.claimed");
  const at = clock.now();
  await sender.runRounds();
  receiver.answer = accept;
  clock.advance(5_000);
  await sender.runRounds();
  clock.advance(hourMs);
  await sender.runRounds();
  const [one, two, ...others] = receiver.received;
  expect(others).toEqual([]);
  expect(JSON.parse(one?.body ?? "")).toEqual({
    type: "device.claimed",
    timestamp: new Date(at).toISOString(),
    data: { sequence: expect.any(Number), deviceId: "gw-1", actor: "device", details: {} },
  });
  expect(two?.body).toBe(one?.body);
  expect(two?.headers["webhook-id"]).toBe(one?.headers["webhook-id"]);
  expect(two?.headers["webhook-timestamp"]).not.toBe(one?.headers["webhook-timestamp"]);
});
