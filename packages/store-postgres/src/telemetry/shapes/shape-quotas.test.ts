import { type GatewayStore, type JsonObject, shapeBounds } from "@device-gateway/core/store";
import {
  fieldRecord,
  registerSampleDevice,
  sampleDevice,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "../../testing/shared-database.js";

let database: SharedDatabase;
let store: GatewayStore;
let client: Client;
beforeAll(async () => {
  database = await openSharedDatabase(inject("postgresUrl"));
});
beforeEach(async () => {
  await database.empty();
  store = await openPostgresStore({ url: database.url, poolSize: 4 });
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await store.close();
});
afterAll(() => database.remove());

const { perUnclaimedDevice, unclaimed, perOwner } = shapeBounds;

let seq = 0;
async function send(deviceId: string, values: readonly JsonObject[], to = store): Promise<void> {
  const records = values.map((value) => sampleRecord({ seq: seq++, value, isTimed: false }));
  const append = { deviceId, receivedAt: sampleTime, records, once: null };
  expect(await to.telemetry.append(append)).toMatchObject({ kind: "appended" });
}

/** Returns how many records of a device are stored with a shape, and how many as JSON text. */
async function storedOf(deviceId: string): Promise<{ compact: number; text: number }> {
  const { rows } = await client.query<{ compact: number; text: number }>(
    `SELECT count(shape)::int AS compact, count(*)::int - count(shape)::int AS text
     FROM device_gateway.telemetry JOIN device_gateway.device_activity ON number = device
     WHERE device_id = $1`,
    [deviceId],
  );
  return rows[0] as { compact: number; text: number };
}

async function countShapes(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM device_gateway.telemetry_shapes",
  );
  return rows[0]?.count ?? 0;
}

/** Returns records that all have different shapes. */
const layouts = (count: number, prefix: string): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ [`${prefix}-${n}`]: n }));

async function registerOwned(deviceId: string, ownerId: string): Promise<void> {
  await registerSampleDevice(store, deviceId, sampleOwnership(ownerId));
}

describe("the shapes that devices introduce", () => {
  it("leave room for claimed devices, however many strangers register and introduce shapes", async () => {
    await registerOwned("mine", "owner");
    for (let first = 0; first < 126; first += 18) {
      const strangers = Array.from({ length: 18 }, (_, n) => `stranger-${first + n}`);
      await Promise.all(strangers.map((stranger) => registerSampleDevice(store, stranger)));
      await Promise.all(
        strangers.map((stranger) => send(stranger, layouts(perUnclaimedDevice + 1, stranger))),
      );
    }
    expect(await countShapes()).toBe(unclaimed);
    await send("mine", [fieldRecord, ...layouts(10, "mine")]);
    expect(await storedOf("mine")).toEqual({ compact: 11, text: 0 });
  });

  it("are limited for an unclaimed device, and shapes of other devices do not count", async () => {
    await registerSampleDevice(store, "stranger");
    await registerSampleDevice(store, "other");
    await send("stranger", layouts(30, "new"));
    expect(await storedOf("stranger")).toEqual({ compact: perUnclaimedDevice, text: 14 });
    await send("other", layouts(30, "new"));
    expect(await storedOf("other"), "16 that are there, and 14 of its own").toEqual({
      compact: 30,
      text: 0,
    });
  });

  it("have a limit for all devices of an owner, and do not use up another owner's limit", async () => {
    for (let n = 0; n < 6; n++) await registerOwned(`mine-${n}`, "owner");
    await registerOwned("theirs", "other");
    for (let n = 0; n < 6; n++) await send(`mine-${n}`, layouts(60, `of-${n}`));
    expect(await countShapes()).toBe(perOwner);
    expect(await storedOf("mine-5")).toEqual({ compact: 0, text: 60 });
    await send("theirs", layouts(60, "theirs"));
    expect(await storedOf("theirs")).toEqual({ compact: 60, text: 0 });
  });

  it("count for the owner at the time they were introduced: claims and releases free none", async () => {
    await registerSampleDevice(store, "mine");
    await send("mine", layouts(20, "before"));
    expect(await countShapes()).toBe(perUnclaimedDevice);
    const { claimCodeHash } = sampleDevice("mine");
    const ownerId = "owner";
    await store.claims.claim({
      ...{ deviceId: "mine", ownerId, claimCodeHash, now: sampleTime },
      event: sampleSecurityEvent("mine", "device.claimed"),
    });
    await send("mine", layouts(4, "owned"));
    expect(await countShapes()).toBe(perUnclaimedDevice + 4);
    await store.claims.release({
      ...{ deviceId: "mine", ownerId, spendCode: false },
      event: sampleSecurityEvent("mine", "device.released"),
    });
    await send("mine", layouts(4, "after"));
    expect(await countShapes()).toBe(perUnclaimedDevice + 4);
    expect(await storedOf("mine")).toEqual({ compact: perUnclaimedDevice + 4, text: 8 });
  });

  it("are deleted when no record and no roll-up refers to them any more", async () => {
    await registerSampleDevice(store, "stranger");
    await send("stranger", layouts(perUnclaimedDevice, "old"));
    await send("stranger", [{ fresh: 1 }]);
    expect(await storedOf("stranger")).toEqual({ compact: perUnclaimedDevice, text: 1 });
    const longAfter = sampleTime + 1_000 * 86_400_000;
    await store.telemetry.prune({ receivedBefore: longAfter, limit: 1_000 });
    expect(await countShapes()).toBe(0);
    await send("stranger", [{ fresh: 2 }]);
    expect(await storedOf("stranger")).toEqual({ compact: 1, text: 0 });
  });

  it("never exceed the limit when several processes introduce them at once", async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => openPostgresStore({ url: database.url, poolSize: 4 })),
    );
    const stores = [store, ...others];
    for (let n = 0; n < 8; n++) await registerOwned(`mine-${n}`, "owner");
    await registerSampleDevice(store, "stranger");
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        send(`mine-${n}`, layouts(60, `of-${n}`), stores[n % stores.length]),
      ),
    );
    expect(await countShapes()).toBe(perOwner);
    await Promise.all(
      stores.map((each, n) => send("stranger", layouts(perUnclaimedDevice, `by-${n}`), each)),
    );
    expect(await countShapes()).toBe(perOwner + perUnclaimedDevice);
    for (const each of others) await each.close();
  });
});
