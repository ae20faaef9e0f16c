import { onNode } from "@device-gateway/core/node";
import { describeWire } from "@device-gateway/testing";
import { afterAll, beforeAll, inject } from "vitest";
import {
  openSharedStores,
  type SharedStores,
} from "../../store-postgres/src/testing/shared-stores.js";
import { databaseTransport } from "./testing/wire-transports.js";

let shared: SharedStores;
beforeAll(async () => {
  shared = await openSharedStores(inject("postgresUrl"), { stores: 1, poolSize: 3 });
});
afterAll(() => shared.remove());

describeWire("in process × Postgres", {
  serve: databaseTransport,
  options: onNode,
  openStore: async () => {
    const [store] = await shared.open();
    if (store === undefined) throw new Error("The database has no store.");
    return { store, dispose: async () => {} };
  },
});
