import { describeStoreConformance } from "@device-gateway/core/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openPostgresStore } from "./open-postgres-store.js";
import { type DatabaseLane, openDatabaseLane } from "./testing/database-lane.js";

let lane: DatabaseLane;
beforeAll(async () => {
  lane = await openDatabaseLane(inject("postgresUrl"));
});
afterAll(() => lane.remove());

describeStoreConformance("the Postgres store", {
  open: async () => {
    await lane.empty();
    const open = () => openPostgresStore({ url: lane.url, poolSize: 5 });
    const handles = [await open(), await open()] as const;
    return {
      handles,
      dispose: async () => {
        for (const store of handles) await store.close();
      },
    };
  },
});
