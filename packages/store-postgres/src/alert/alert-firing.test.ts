import type { GatewayStore } from "@device-gateway/core/store";
import { registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { Client } from "pg";
import { expect, it, vi } from "vitest";
import {
  createRule,
  firing,
  judge,
  sampleAlert,
  sampleAlertRule,
} from "../../../testing/src/conformance/samples/alert-samples.js";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: GatewayStore;
useStoreAndClient((opened) => {
  ({ store } = opened);
});

// Each statement is a round trip, and a judgement with many alerts must end before the deadline of a call.
it("each of many alerts of one judgement takes three statements", async () => {
  await registerSampleDevice(store, "gw-1", sampleOwnership());
  const ids = Array.from({ length: 50 }, (_, n) => `rule-${n}`);
  for (const id of ids) await createRule(store, sampleAlertRule(id));
  const query = vi.spyOn(Client.prototype, "query");
  await judge(
    store,
    ids.map((ruleId) => firing(sampleAlert(`alert-of-${ruleId}`, { ruleId }))),
  );
  // The others begin and commit the transaction, lock, and write the watch.
  expect(query.mock.calls.length).toBeLessThanOrEqual(3 * ids.length + 8);
  expect(await store.alerts.firing(["gw-1"])).toHaveLength(ids.length);
});
