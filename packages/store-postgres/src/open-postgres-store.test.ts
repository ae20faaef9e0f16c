import { describeStoreConformance } from "@device-gateway/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openStoreLane, type StoreLane } from "./testing/store-lane.js";

let lane: StoreLane;
beforeAll(async () => {
  lane = await openStoreLane(inject("postgresUrl"), { stores: 2, poolSize: 5 });
});
afterAll(() => lane.remove());

describeStoreConformance("the Postgres store", {
  open: async () => {
    const [a, b] = await lane.open();
    if (a === undefined || b === undefined) throw new Error("There are two stores.");
    return { handles: [a, b], dispose: async () => {} };
  },
});
