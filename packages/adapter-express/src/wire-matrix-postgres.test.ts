import { describeWire } from "@device-gateway/core/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openStoreLane, type StoreLane } from "../../store-postgres/src/testing/store-lane.js";
import { everyStoreWays, ways } from "./testing/wire-ways.js";

let lane: StoreLane;
beforeAll(async () => {
  lane = await openStoreLane(inject("postgresUrl"), { stores: 1, poolSize: 3 });
});
afterAll(() => lane.remove());

for (const way of everyStoreWays) {
  describeWire(`${way} × Postgres`, {
    serve: ways[way],
    openStore: async () => {
      const [store] = await lane.open();
      if (store === undefined) throw new Error("There is one store.");
      return { store, dispose: async () => {} };
    },
  });
}
