import { type GatewayStore, type JsonObject, shapeBounds } from "@device-gateway/core/store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fieldRecord } from "../../fixtures/field-records.js";
import {
  registerSampleDevice,
  sampleDevice,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";

/** A store over an empty storage, and what is stored in it. */
export interface ShapeStorage {
  readonly store: GatewayStore;
  /** Opens a further handle over the same storage, as another process does. */
  openAnother(): Promise<GatewayStore>;
  /** Returns how many records of a device are stored with a shape, and how many as JSON text. */
  countRecords(deviceId: string): Promise<{ readonly compact: number; readonly text: number }>;
  countShapes(): Promise<number>;
  /**
   * Lets every recorded use of a shape expire, as if other devices had sent many records since. Absent: only deletion
   * ends a use.
   */
  forgetUses?(): Promise<void>;
  /** Closes all handles. */
  dispose(): Promise<void>;
}

const { perUnclaimedDevice, unclaimed, perOwner } = shapeBounds;

/** Returns records that all have different shapes. */
const layouts = (count: number, prefix: string): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ [`${prefix}-${n}`]: n }));

/**
 * Declares Vitest tests of the quotas for record shapes, for a store that stores the shape of a record once and the
 * values apart.
 *
 * @example
 * describeShapeQuotas(async () => ({ store, openAnother, countRecords, countShapes, dispose }));
 */
export function describeShapeQuotas(open: () => Promise<ShapeStorage>): void {
  describe("the shapes that devices introduce", () => {
    let storage: ShapeStorage;
    let store: GatewayStore;
    beforeEach(async () => {
      storage = await open();
      ({ store } = storage);
    });
    afterEach(() => storage.dispose());

    let seq = 0;
    async function send(deviceId: string, values: readonly JsonObject[], to = store) {
      const records = values.map((value) => sampleRecord({ seq: seq++, value, isTimed: false }));
      const append = { deviceId, receivedAt: sampleTime, records, once: null };
      expect(await to.telemetry.append(append)).toMatchObject({ kind: "appended" });
    }
    const registerOwned = (deviceId: string, ownerId: string) =>
      registerSampleDevice(store, deviceId, sampleOwnership(ownerId));

    it("leave room for claimed devices, however many strangers register and introduce shapes", async () => {
      await registerOwned("mine", "owner");
      for (let first = 0; first < 126; first += 18) {
        const strangers = Array.from({ length: 18 }, (_, n) => `stranger-${first + n}`);
        await Promise.all(strangers.map((stranger) => registerSampleDevice(store, stranger)));
        await Promise.all(
          strangers.map((stranger) => send(stranger, layouts(perUnclaimedDevice + 1, stranger))),
        );
      }
      expect(await storage.countShapes()).toBe(unclaimed);
      await send("mine", [fieldRecord, ...layouts(10, "mine")]);
      expect(await storage.countRecords("mine")).toEqual({ compact: 11, text: 0 });
    });

    it("are limited for an unclaimed device, and shapes of other devices do not count", async () => {
      await registerSampleDevice(store, "stranger");
      await registerSampleDevice(store, "other");
      await send("stranger", layouts(30, "new"));
      const expected = { compact: perUnclaimedDevice, text: 14 };
      expect(await storage.countRecords("stranger")).toEqual(expected);
      await send("other", layouts(30, "new"));
      expect(await storage.countRecords("other"), "16 that are there, and 14 of its own").toEqual({
        compact: 30,
        text: 0,
      });
    });

    it("have a limit for all devices of an owner, and do not use up another owner's limit", async () => {
      for (let n = 0; n < 6; n++) await registerOwned(`mine-${n}`, "owner");
      await registerOwned("theirs", "other");
      for (let n = 0; n < 6; n++) await send(`mine-${n}`, layouts(60, `of-${n}`));
      expect(await storage.countShapes()).toBe(perOwner);
      expect(await storage.countRecords("mine-5")).toEqual({ compact: 0, text: 60 });
      await send("theirs", layouts(60, "theirs"));
      expect(await storage.countRecords("theirs")).toEqual({ compact: 60, text: 0 });
    });

    it("count for the owner at the time they were introduced: claims and releases free none", async () => {
      await registerSampleDevice(store, "mine");
      await send("mine", layouts(20, "before"));
      expect(await storage.countShapes()).toBe(perUnclaimedDevice);
      const { claimCodeHash } = sampleDevice("mine");
      const ownerId = "owner";
      await store.claims.claim({
        ...{ deviceId: "mine", ownerId, claimCodeHash, now: sampleTime },
        event: sampleSecurityEvent("mine", "device.claimed"),
      });
      await send("mine", layouts(4, "owned"));
      expect(await storage.countShapes()).toBe(perUnclaimedDevice + 4);
      await store.claims.release({
        ...{ deviceId: "mine", ownerId, spendCode: false },
        event: sampleSecurityEvent("mine", "device.released"),
      });
      await send("mine", layouts(4, "after"));
      expect(await storage.countShapes()).toBe(perUnclaimedDevice + 4);
      const expected = { compact: perUnclaimedDevice + 4, text: 8 };
      expect(await storage.countRecords("mine")).toEqual(expected);
    });

    it("are deleted when no record and no roll-up refers to them any more", async () => {
      await registerSampleDevice(store, "stranger");
      await send("stranger", layouts(perUnclaimedDevice, "old"));
      await send("stranger", [{ fresh: 1 }]);
      const expected = { compact: perUnclaimedDevice, text: 1 };
      expect(await storage.countRecords("stranger")).toEqual(expected);
      await storage.forgetUses?.();
      const longAfter = sampleTime + 1_000 * 86_400_000;
      await store.telemetry.prune({ receivedBefore: longAfter, limit: 1_000 });
      expect(await storage.countShapes()).toBe(0);
      await send("stranger", [{ fresh: 2 }]);
      expect(await storage.countRecords("stranger")).toEqual({ compact: 1, text: 0 });
    });

    it("never exceed the limit when several processes introduce them at once", async () => {
      const { openAnother } = storage;
      const handles = [store, await openAnother(), await openAnother(), await openAnother()];
      for (let n = 0; n < 8; n++) await registerOwned(`mine-${n}`, "owner");
      await registerSampleDevice(store, "stranger");
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          send(`mine-${n}`, layouts(60, `of-${n}`), handles[n % handles.length]),
        ),
      );
      expect(await storage.countShapes()).toBe(perOwner);
      await Promise.all(
        handles.map((each, n) => send("stranger", layouts(perUnclaimedDevice, `by-${n}`), each)),
      );
      expect(await storage.countShapes()).toBe(perOwner + perUnclaimedDevice);
    });
  });
}
