import { type GatewayStore, toWebhookRow, type WebhookEndpoint } from "@device-gateway/core/store";
import { sampleSecurityEvent, sampleTime } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: GatewayStore;
let other: Client;
useStoreAndClient((opened) => {
  ({ store, other } = opened);
});

const sampleEndpoint = (
  id: string,
  ownerId: string,
  deviceIds: readonly string[] = [],
): WebhookEndpoint => ({
  ...{ id, ownerId, revision: 1, label: "https://example.com/", sealed: "sealed", enabled: true },
  filter: { kinds: [], deviceIds, targetHardware: [], ownerIds: [] },
  ...{ disabledReason: null, createdAt: sampleTime, failingSince: null },
  ...{ startAfter: 0, generation: 0 },
});

const create = (endpoint: WebhookEndpoint) =>
  store.webhooks.create({
    ...{ endpoint, limit: 1, total: 9 },
    event: sampleSecurityEvent("", "webhook.created"),
  });

it("a filter with text that SQL cannot read, stored by an earlier version, stops nobody from creating a webhook", async () => {
  const former = toWebhookRow(sampleEndpoint("former", "alice", ["\u0000", "\ud800"]));
  await other.query(
    `INSERT INTO device_gateway.webhooks (id, revision, created_at, failing_since, content)
     VALUES ($1, $2, $3, $4, $5)`,
    [former.id, former.revision, former.createdAt, former.failingSince, former.content],
  );
  expect(await create(sampleEndpoint("next", "bob"))).toEqual({ kind: "created" });
  expect(await create(sampleEndpoint("another", "alice"))).toEqual({ kind: "full" });
});
