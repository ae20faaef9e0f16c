import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice, sampleTime } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { operator } from "../api/principal.js";
import { createGateway, generateSecrets } from "../index.js";

test("§8 each revocation is announced to listeners, at the time that it returns", async () => {
  let now = sampleTime;
  // Each reading of the clock returns a later time.
  const clock = { now: () => now++ };
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets(), clock });
  await registerSampleDevice(store, "gw-1");
  const announced: number[] = [];
  gateway.on("device.revoked", ({ at }) => void announced.push(at));
  const api = gateway.as(operator({ id: "ops" }));
  const { body } = (await api.revokeDevice({ params: { deviceId: "gw-1" } }))._unsafeUnwrap();
  expect(announced).toEqual([Date.parse(body.revokedAt)]);
});
