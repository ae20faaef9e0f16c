import { createDeviceClient } from "@device-gateway/device-client";
import { expect, it } from "vitest";
import { createCustomer, customerSettings, signCustomer } from "./testing/customer.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";
import { makeTempFolder } from "./testing/start-test-server.js";

type Customer = ReturnType<typeof createCustomer>;

const claimCode = "ABCD-EFGH";
const customers = ["c-1", "c-2"] as const;
/** A claim by code computes a slow hash. A claim by secret does not, which makes the race closer. */
const devices = Array.from({ length: 32 }, (_, i) => ({
  deviceId: `gw-${String(i).padStart(2, "0")}`,
  byCode: i % 8 === 0,
}));

/** Registers the devices through one process. Returns for each a function with which a customer claims it. */
async function registerDevices(url: string) {
  const client = createDeviceClient({ baseUrl: url });
  const registered = [];
  for (const { deviceId, byCode } of devices) {
    const kind = byCode ? { firmwareVersion: "1.0.0", claimCode } : { firmwareVersion: "0.1.3" };
    const response = await client.register({ deviceId, hardwareId: "board", ...kind });
    const { deviceSecret } = response._unsafeUnwrap();
    const claim = (customer: Customer) =>
      byCode ? customer.claim(deviceId, claimCode) : customer.claimBySecret(deviceId, deviceSecret);
    registered.push({ deviceId, claim });
  }
  return registered;
}

it("§3 two customers who claim a device through two processes have one winner", async () => {
  const program = await buildServer();
  const environment = { ...customerSettings, DATA_DIR: await makeTempFolder() };
  const processes = customers.map(() => startServerProcess(program, environment));
  const urls = (await Promise.all(processes)).map(({ url }) => url);
  const racers = await Promise.all(
    customers.map(async (id, i) => {
      const customer = createCustomer(urls[i] ?? "", await signCustomer(id));
      return { id, customer, won: [] as string[] };
    }),
  );

  for (const [i, { deviceId, claim }] of (await registerDevices(urls[0] ?? "")).entries()) {
    // The customers take turns to ask first, so that the order does not decide.
    const starters = i % 2 === 0 ? racers : racers.toReversed();
    const finish = await Promise.all(
      starters.map(async (racer) => ({ racer, response: await claim(racer.customer) })),
    );
    const [winner, loser] = finish.sort((a, b) => a.response.status - b.response.status);
    expect(winner?.response).toMatchObject({ status: 200, body: { deviceId, status: "claimed" } });
    expect(loser?.response).toMatchObject({ status: 409, body: { code: "already_claimed" } });
    winner?.racer.won.push(deviceId);
  }

  // Through either process, each customer sees exactly the devices that they won.
  for (const { id, won } of racers) {
    for (const url of urls) {
      const { body } = await createCustomer(url, await signCustomer(id)).listDevices();
      const owned = won.map((deviceId) => expect.objectContaining({ id: deviceId, isOwner: true }));
      expect(body).toEqual({ devices: owned, nextCursor: null });
    }
  }
});
