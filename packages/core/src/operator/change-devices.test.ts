import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { operator } from "../api/principal.js";
import { createGateway, generateSecrets } from "../index.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";

const ids = ["gw-1", "gw-2", "gw-3"];

/** Opens a gateway whose store cannot revoke some of the devices. */
async function openFleet(failing: readonly string[]) {
  const store = createMemoryStore();
  for (const id of ids) await registerSampleDevice(store, id);
  const { revoke } = store.devices;
  vi.spyOn(store.devices, "revoke").mockImplementation(async (input) => {
    if (failing.includes(input.deviceId)) throw new StoreUnavailableError("A cell is down.");
    return revoke(input);
  });
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  const api = gateway.as(operator({ id: "ops" }));
  const revokeAll = () =>
    api.changeDevices({ body: { deviceIds: ids, action: { kind: "revoke" } } });
  return { store, revokeAll };
}

test("§8 a device that cannot be changed now gets a verdict, and the others are changed", async () => {
  const { store, revokeAll } = await openFleet(["gw-2"]);
  const { verdicts } = (await revokeAll())._unsafeUnwrap().body;
  expect(verdicts.map(({ code }) => code)).toEqual(["done", "unavailable", "done"]);
  const revoked = await Promise.all(ids.map((id) => store.devices.find(id)));
  expect(revoked.map((one) => one?.revokedAt !== null)).toEqual([true, false, true]);
});

test("§8 if no device can be changed now, the request fails as a whole", async () => {
  const { revokeAll } = await openFleet(ids);
  expect((await revokeAll())._unsafeUnwrapErr().code).toBe("unavailable");
});
