import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { customer, operator } from "../api/principal.js";
import type { JsonValue } from "../shared/json.js";

const deviceId = "gw-1";
const params = { deviceId };

/** Returns a patch with this number of levels. */
function nested(levels: number, wrap: (value: JsonValue) => JsonValue) {
  let value: JsonValue = 1;
  for (let level = 1; level < levels; level++) value = wrap(value);
  return { anything: value };
}

test("§8 a patch of the configuration or the metadata is nested at most 32 levels deep", async () => {
  const schema = z.object({ anything: z.unknown().optional() });
  const cloud = await createTestCloud({
    gateway: { config: { settings: schema }, metadata: { schema } },
  });
  onTestFinished(() => cloud.close());
  await cloud.addDevice({ deviceId });
  const ops = cloud.gateway.as(operator({ id: "ops" }));
  const alice = cloud.gateway.as(customer({ id: "alice", emailVerified: true }));
  const assigned = await ops.assignDevice({ params, body: { customerId: "alice" } });
  expect(assigned.isOk()).toBe(true);
  for (const wrap of [(value: JsonValue) => [value], (value: JsonValue) => ({ a: value })]) {
    for (const change of [
      alice.changeDeviceConfig,
      ops.configureDevice,
      ops.changeDeviceMetadata,
    ] as const) {
      for (const levels of [33, 2_000]) {
        const refused = await change({ params, body: nested(levels, wrap) });
        expect(refused._unsafeUnwrapErr()).toMatchObject({
          code: "invalid_request",
          errors: [{ path: "", code: "too_deep", message: "Nest it at most 32 levels deep." }],
        });
      }
      expect((await change({ params, body: nested(32, wrap) })).isOk()).toBe(true);
    }
  }
  const listed = await alice.listDevices({});
  expect(listed.isOk()).toBe(true);
});
