import { onNode } from "@device-gateway/core/node";
import { createCellsStore } from "@device-gateway/store-cells";
import { createMemoryStore } from "@device-gateway/store-memory";
import { describeWire, serveInProcess } from "@device-gateway/testing";
import { afterAll, beforeAll } from "vitest";
import {
  openSharedStores,
  type SharedStores,
} from "../../store-sqlite/src/testing/shared-stores.js";
import { databaseTransport, transports } from "./testing/wire-transports.js";

for (const [name, serve] of Object.entries(transports)) {
  describeWire(`${name} × memory`, {
    serve,
    // In process, the suite runs over the portable functions.
    ...(serve !== serveInProcess && { options: onNode }),
    openStore: async () => {
      const store = createMemoryStore();
      return { store, dispose: () => store.close() };
    },
  });
}

describeWire("in process × a home and three cells", {
  serve: databaseTransport,
  openStore: async () => {
    const [home, ...cells] = [0, 1, 2, 3].map(() => createMemoryStore());
    if (home === undefined) throw new Error("There is no home.");
    const store = createCellsStore({ home, cells });
    return { store, dispose: () => store.close() };
  },
});

let shared: SharedStores;
beforeAll(async () => {
  shared = await openSharedStores(1);
});
afterAll(() => shared.remove());

describeWire("in process × SQLite", {
  serve: databaseTransport,
  options: onNode,
  openStore: async () => {
    const [store] = await shared.open();
    if (store === undefined) throw new Error("The file has no store.");
    return { store, dispose: async () => {} };
  },
});
