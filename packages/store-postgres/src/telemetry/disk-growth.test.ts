import { describeGrowth } from "@device-gateway/testing";
import { inject } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { askOn, createTemporaryDatabase } from "../testing/temporary-database.js";

let url = "";

describeGrowth("the Postgres store", {
  openStore: async () => {
    const database = await createTemporaryDatabase(inject("postgresUrl"));
    url = database.url;
    const store = await openPostgresStore({ url, poolSize: 4 });
    const dispose = async () => {
      await store.close();
      await database.remove();
    };
    return { store, dispose };
  },
  bytesOnDisk: async () => {
    const rows = await askOn<{ bytes: string }>(
      url,
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
       WHERE relnamespace = 'device_gateway'::regnamespace AND relkind = 'r'`,
    );
    return Number(rows[0]?.bytes);
  },
});
