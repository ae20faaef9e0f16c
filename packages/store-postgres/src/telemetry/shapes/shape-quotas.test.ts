import type { GatewayStore } from "@device-gateway/core/store";
import { describeShapeQuotas } from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "../../testing/shared-database.js";

let database: SharedDatabase;
beforeAll(async () => {
  database = await openSharedDatabase(inject("postgresUrl"));
});
afterAll(() => database.remove());

describeShapeQuotas(async () => {
  await database.empty();
  const { url } = database;
  const stores: GatewayStore[] = [];
  const openAnother = async () => {
    const store = await openPostgresStore({ url, poolSize: 4 });
    stores.push(store);
    return store;
  };
  const store = await openAnother();
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    ...{ store, openAnother },
    async countRecords(deviceId) {
      const { rows } = await client.query<{ compact: number; text: number }>(
        `SELECT count(shape)::int AS compact, count(*)::int - count(shape)::int AS text
         FROM device_gateway.telemetry JOIN device_gateway.device_activity ON number = device
         WHERE device_id = $1`,
        [deviceId],
      );
      return rows[0] ?? { compact: 0, text: 0 };
    },
    async countShapes() {
      const { rows } = await client.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM device_gateway.telemetry_shapes",
      );
      return rows[0]?.count ?? 0;
    },
    async dispose() {
      await client.end();
      for (const each of stores) await each.close();
    },
  };
});
