import { describeWire } from "@device-gateway/testing";
import { afterAll, beforeAll, inject } from "vitest";
import { openStoreLane, type StoreLane } from "../../store-postgres/src/testing/store-lane.js";
import { databaseTransport } from "./testing/wire-transports.js";

let lane: StoreLane;
beforeAll(async () => {
  lane = await openStoreLane(inject("postgresUrl"), { stores: 1, poolSize: 3 });
});
afterAll(() => lane.remove());

describeWire("Express 5 × Postgres", {
  serve: databaseTransport,
  openStore: async () => {
    const [store] = await lane.open();
    if (store === undefined) throw new Error("The lane opened no store.");
    return { store, dispose: async () => {} };
  },
});
