import type { GatewayStore } from "@device-gateway/core/store";
import { describeShapeQuotas } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { openSqliteStore } from "../../open-sqlite-store.js";
import { createTemporaryFile } from "../../testing/temporary-file.js";

describeShapeQuotas(async () => {
  const temporary = createTemporaryFile();
  const stores: GatewayStore[] = [];
  const openAnother = async () => {
    const store = await openSqliteStore(temporary);
    stores.push(store);
    return store;
  };
  const store = await openAnother();
  const database = new Database(temporary.file);
  const countShapes = database.prepare<[], number>("SELECT count(*) FROM telemetry_shapes").pluck();
  const countRecords = database.prepare<[string], { compact: number; text: number }>(
    `SELECT count(shape) AS compact, count(*) - count(shape) AS text FROM telemetry
     WHERE device = (SELECT number FROM devices WHERE device_id = ?)`,
  );
  return {
    ...{ store, openAnother },
    countShapes: async () => countShapes.get() ?? 0,
    countRecords: async (deviceId) => countRecords.get(deviceId) ?? { compact: 0, text: 0 },
    // A use is recorded thousands of positions ahead.
    async forgetUses() {
      database.exec("UPDATE sqlite_sequence SET seq = seq + 100000 WHERE name = 'telemetry'");
    },
    async dispose() {
      database.close();
      for (const each of stores) await each.close();
      temporary.remove();
    },
  };
});
