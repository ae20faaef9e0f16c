import { describeWire } from "@device-gateway/core/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openStoreLane, type StoreLane } from "../../store-postgres/src/testing/store-lane.js";
import { ways } from "./testing/wire-ways.js";

let lane: StoreLane;
beforeAll(async () => {
  lane = await openStoreLane(inject("postgresUrl"), { stores: 1, poolSize: 3 });
});
afterAll(() => lane.remove());

// Without Express 4: what differs there stands between Express and the gateway, not behind it.
for (const way of ["in process", "node listener", "Express 5"] as const) {
  describeWire(`${way} × Postgres`, {
    serve: ways[way],
    openStore: async () => {
      const [store] = await lane.open();
      if (store === undefined) throw new Error("There is one store.");
      return { store, dispose: async () => {} };
    },
  });
}
