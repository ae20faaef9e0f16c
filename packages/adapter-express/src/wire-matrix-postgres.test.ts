import { describeWire } from "@device-gateway/core/testing";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { afterAll, beforeAll, inject } from "vitest";
import {
  type DatabaseLane,
  openDatabaseLane,
} from "../../store-postgres/src/testing/database-lane.js";
import { ways } from "./testing/wire-ways.js";

let lane: DatabaseLane;
beforeAll(async () => {
  lane = await openDatabaseLane(inject("postgresUrl"));
});
afterAll(() => lane.remove());

// Without Express 4: what differs there stands between Express and the gateway, not behind it.
for (const way of ["in process", "node listener", "Express 5"] as const) {
  describeWire(`${way} × Postgres`, {
    serve: ways[way],
    openStore: async () => {
      await lane.empty();
      const store = await openPostgresStore({ url: lane.url, poolSize: 3 });
      return { store, dispose: () => store.close() };
    },
  });
}
