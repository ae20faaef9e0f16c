import { describeStoreConformance } from "@device-gateway/testing";
import { afterAll, beforeAll } from "vitest";
import { openSharedStores, type SharedStores } from "./testing/shared-stores.js";

let stores: SharedStores;
beforeAll(async () => {
  stores = await openSharedStores(2);
});
afterAll(() => stores.remove());

describeStoreConformance("the SQLite store", {
  open: async () => {
    const [a, b] = await stores.open();
    if (a === undefined || b === undefined) throw new Error("There are two stores.");
    return { handles: [a, b], dispose: async () => {} };
  },
});
