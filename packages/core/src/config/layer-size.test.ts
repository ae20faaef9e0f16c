import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { customer, operator } from "../api/principal.js";

const deviceId = "gw-1";
const params = { deviceId };

test("a device's own settings cannot grow beyond 16,384 bytes, not even with keys that the schema ignores", async () => {
  const settings = z.object({ site: z.object({ zone: z.string().optional() }).optional() });
  const cloud = await createTestCloud({ gateway: { config: { settings } } });
  onTestFinished(() => cloud.close());
  await cloud.addDevice({ deviceId, owner: "alice" });
  const alice = cloud.gateway.as(customer({ id: "alice", emailVerified: true }));
  const ops = cloud.gateway.as(operator({ id: "ops" }));
  const stored = async () => (await cloud.store.devices.find(deviceId))?.configOverrides;
  // Without the text, `{"site":{"a":""}}` has 17 bytes.
  const site = { a: `x${"é".repeat((16_384 - 18) / 2)}` };
  const allowed = await alice.changeDeviceConfig({ params, body: { site } });
  expect(allowed.isOk()).toBe(true);
  const before = await stored();
  for (const change of [alice.changeDeviceConfig, ops.configureDevice] as const) {
    const refused = await change({ params, body: { site: { b: 1 } } });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      ...{ code: "invalid_request", status: 400 },
      errors: [{ path: "", code: "too_big", message: expect.stringContaining("16390 bytes") }],
    });
    expect(await stored()).toEqual(before);
  }
  const removed = await alice.changeDeviceConfig({ params, body: { site: null } });
  expect(removed.isOk()).toBe(true);
});
