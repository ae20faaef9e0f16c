import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord } from "@device-gateway/testing";
import type { Client } from "pg";
import { describe, expect, it } from "vitest";
import { endsOf, markOf } from "../database/changes/commit-order.js";
import type { SharedDatabase } from "./shared-database.js";
import { useStoreAndClient } from "./use-store-and-client.js";

/** Declares the tests of the order in which readers see what is committed. */
export function describeCommitOrder(openDatabase: () => Promise<SharedDatabase>): void {
  describe("commit order", () => {
    let store: GatewayStore;
    /** Another process. The test decides how long its transaction takes. */
    let other: Client;
    useStoreAndClient(
      (opened) => {
        ({ store, other } = opened);
      },
      { openDatabase, poolSize: 3 },
    );

    const register = (deviceId: string) =>
      store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
    const listEvents = async () =>
      (await store.securityEvents.list({ after: 0, limit: 99 })).map(({ deviceId }) => deviceId);
    async function changedSince(cursor: string) {
      const outcome = await store.changes.since(cursor);
      if (outcome.kind !== "changes") throw new Error("The feed returned a reset.");
      return { ...outcome, deviceIds: [...outcome.deviceIds].sort() };
    }

    /** The statements that every transition runs. */
    const begin = () => other.query(`BEGIN; ${markOf("transition_ids")}`);
    const write = (deviceId: string) =>
      other.query(
        `WITH fed AS (
           INSERT INTO device_gateway.changes (id, device_id, at)
           VALUES (nextval('device_gateway.transition_ids'), '${deviceId}', 0)
         )
         INSERT INTO device_gateway.security_events (id, kind, at, device_id, actor, details)
         VALUES (nextval('device_gateway.transition_ids'), 'device.claimed', 0, '${deviceId}', 'x', '{}')`,
      );

    it("does not list an event before one with a lower id has committed", async () => {
      await register("gw-1");
      await begin();
      await write("slow");
      await register("gw-2");
      expect(await listEvents()).toEqual(["gw-1"]);
      await other.query("COMMIT");
      expect(await listEvents()).toEqual(["gw-1", "slow", "gw-2"]);
    });

    it("continues when the slow transaction is rolled back or its process ends", async () => {
      await begin();
      await write("slow");
      await register("gw-1");
      expect(await listEvents()).toEqual([]);
      await other.query("ROLLBACK");
      expect(await listEvents()).toEqual(["gw-1"]);
      await begin();
      await write("slow");
      await register("gw-2");
      await other.end();
      await expect.poll(listEvents).toEqual(["gw-1", "gw-2"]);
    });

    it("reports a change at once and slower ones later, by the cursors that it returned", async () => {
      await register("gw-1");
      const { cursor: start } = await store.changes.since(null);
      await begin();
      await write("slow");
      await register("gw-2");
      const first = await changedSince(start);
      expect(first.deviceIds).toEqual(["gw-2"]);
      const second = await changedSince(first.cursor);
      await other.query("COMMIT");
      const third = await changedSince(second.cursor);
      expect(third.deviceIds).toContain("slow");
      expect(await changedSince(third.cursor)).toMatchObject({ deviceIds: [] });
    });

    it("never moves a cursor back for a transaction that marked early and writes late", async () => {
      await begin();
      await register("gw-1");
      const { cursor } = await store.changes.since(null);
      await register("gw-2");
      const between = await changedSince(cursor);
      expect(between.deviceIds).toEqual(["gw-1", "gw-2"]);
      await write("late");
      await other.query("COMMIT");
      const after = await changedSince(between.cursor);
      expect(after.deviceIds).toContain("late");
      expect(Number.parseInt(after.cursor, 10)).toBeGreaterThan(
        Number.parseInt(between.cursor, 10),
      );
    });

    it("lists no fewer events than before when a transaction marks an id that it read earlier", async () => {
      for (const deviceId of ["gw-1", "gw-2"]) await register(deviceId);
      expect(await listEvents()).toEqual(["gw-1", "gw-2"]);
      const newest = () =>
        store.securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
      await other.query("BEGIN; SELECT pg_advisory_xact_lock_shared((x'4447'::bigint << 48) | 1)");
      expect(await listEvents()).toEqual(["gw-1", "gw-2"]);
      expect(await newest()).toMatchObject([{ deviceId: "gw-2" }]);
      await write("late");
      await register("gw-3");
      expect(await listEvents()).toEqual(["gw-1", "gw-2"]);
      await other.query("COMMIT");
      expect(await listEvents()).toEqual(["gw-1", "gw-2", "late", "gw-3"]);
    });

    it("does not follow telemetry past a record whose transaction is slow", async () => {
      await register("gw-1");
      const follow = async (after: string) => store.telemetry.follow({ after, limit: 9 });
      const send = (seq: number) =>
        store.telemetry.append({
          ...{ deviceId: "gw-1", receivedAt: 0, once: null },
          records: [sampleRecord({ seq })],
        });
      await send(1);
      await other.query(`BEGIN; ${markOf("telemetry_positions")}`);
      await other.query(
        `INSERT INTO device_gateway.telemetry
         SELECT nextval('device_gateway.telemetry_positions'), at, received_at, 2, device, shape, timed, content
         FROM device_gateway.telemetry`,
      );
      await send(3);
      const first = await follow("");
      expect(first.records.map(({ seq }) => seq)).toEqual([1]);
      expect(await follow(await store.telemetry.end())).toMatchObject({ records: [] });
      await other.query("COMMIT");
      const second = await follow(first.next);
      expect(second.records.map(({ seq }) => seq)).toEqual([2, 3]);
    });

    it("is not delayed by other locks or by transactions in other databases", async () => {
      await other.query("BEGIN; SELECT pg_advisory_xact_lock(1), pg_current_xact_id()");
      await register("gw-1");
      expect(await listEvents()).toEqual(["gw-1"]);
      const { rows } = await other.query<{ newest: string; settled: string }>(
        endsOf("transition_ids"),
      );
      expect(rows[0]?.settled).toBe(rows[0]?.newest);
    });

    it("rejects as unavailable when the store is closed", async () => {
      await store.close();
      await expect(listEvents()).rejects.toBeInstanceOf(StoreUnavailableError);
    });
  });
}
