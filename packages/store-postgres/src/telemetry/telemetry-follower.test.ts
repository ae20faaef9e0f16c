import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import { expect, inject, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { createMigratedDatabase } from "../testing/migrated-database.js";
import { askOn, runOn } from "../testing/temporary-database.js";

it("follows records behind a gap of positions, and in partitions from before the index by position", async () => {
  const { url, remove } = await createMigratedDatabase(inject("postgresUrl"));
  const store = await openPostgresStore({ url });
  try {
    await registerSampleDevice(store, "gw-1");
    const send = (seq: number) =>
      store.telemetry.append({
        ...{ deviceId: "gw-1", receivedAt: sampleTime, once: null },
        records: [sampleRecord({ seq })],
      });
    await send(1);
    const indexes = await askOn<{ name: string }>(
      url,
      `SELECT indexrelid::regclass::text AS name FROM pg_index AS i JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
       WHERE h.inhparent = 'device_gateway.telemetry_by_position'::regclass`,
    );
    expect(indexes).toHaveLength(1);
    // Leaves the partition as an earlier version made it.
    await runOn(url, "DROP INDEX device_gateway.telemetry_by_position");
    await runOn(url, "SELECT setval('device_gateway.telemetry_positions', 3000000)");
    await send(2);
    const found: (number | null)[] = [];
    for (let after = ""; ; ) {
      const { records, next } = await store.telemetry.follow({ after, limit: 9 });
      found.push(...records.map(({ seq }) => seq));
      if (next === after) break;
      after = next;
    }
    expect(found).toEqual([1, 2]);
  } finally {
    await store.close();
    await remove();
  }
});
