import type { WebhookFilter } from "@device-gateway/core/store";
import { expect, test } from "vitest";
import { refuse } from "./testing/receiver.js";
import { createWebhookWorld } from "./testing/webhook-world.js";

test("test messages do not gather while an endpoint fails or nothing is sent", async () => {
  const { add, manager, messages, sender, receiver } = await createWebhookWorld();
  const { id } = (await add()).endpoint;
  receiver.answer = refuse;
  const first = await manager.test({ id });
  expect(await manager.test({ id })).toEqual(first);
  expect((await messages(id)).waiting).toHaveLength(1);
  await sender.runRounds();
  const later = await manager.test({ id });
  expect(later).toMatchObject({ kind: "sent" });
  expect(later).not.toEqual(first);
});

test("an endpoint that is enabled again is shown without the failures before", async () => {
  const { add, find, manager, sender, receiver, write, actor } = await createWebhookWorld();
  const { id } = (await add({ kinds: ["device.renamed"] })).endpoint;
  receiver.answer = refuse;
  for (let n = 0; n < 2; n++) await write("gw-1");
  await sender.runRounds();
  expect((await find(id))?.failingSince).not.toBeNull();
  const enabled = await manager.change({ id, enabled: true, actor });
  expect(enabled).toMatchObject({ kind: "changed", endpoint: { failingSince: null } });
  expect(await find(id)).toMatchObject({ failingSince: null });
});

test("the audit trail names what people changed, and nothing of how it is stored", async () => {
  const { add, manager, store, clock, actor } = await createWebhookWorld();
  const { id } = (await add()).endpoint;
  await manager.change({ id, url: "https://example.com/other", enabled: false, actor });
  await manager.rotateSecret({ id, actor });
  await manager.replay({ id, from: clock.now(), actor });
  const events = await store.securityEvents.list({ after: 0, limit: 9 });
  const changed = events.filter(({ kind }) => kind === "webhook.changed");
  expect(changed.map(({ details }) => details["changed"])).toEqual([
    ["url", "enabled"],
    ["secret"],
    ["startAfter"],
  ]);
});

test.each([
  ["U+0000", "\u0000"],
  ["an unpaired surrogate", "gw-\ud800"],
])("a filter with %s, which some databases cannot read, is refused", async (_, text) => {
  const { add, find, manager, receiver, actor } = await createWebhookWorld();
  const { id } = (await add({ deviceIds: ["🛰"] })).endpoint;
  const filters: readonly Partial<WebhookFilter>[] = [
    { deviceIds: ["gw-1", text] },
    { targetHardware: [text] },
    { ownerIds: [text] },
  ];
  for (const filter of filters) {
    const refused = { kind: "invalid", path: "filter", message: expect.stringMatching(/U\+0000/) };
    expect(await manager.create({ url: receiver.url, filter, actor })).toEqual(refused);
    expect(await manager.change({ id, filter, actor })).toEqual(refused);
  }
  expect(await find(id)).toMatchObject({ filter: { deviceIds: ["🛰"] } });
});
