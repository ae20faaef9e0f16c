import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@device-gateway/store-memory";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { describeWire } from "@device-gateway/testing";
import { databaseTransport, transports } from "./testing/wire-transports.js";

for (const [name, serve] of Object.entries(transports)) {
  describeWire(`${name} × memory`, {
    serve,
    openStore: async () => {
      const store = createMemoryStore();
      return { store, dispose: () => store.close() };
    },
  });
}

describeWire("Express 5 × SQLite", {
  serve: databaseTransport,
  openStore: async () => {
    const folder = await mkdtemp(join(tmpdir(), "wire-"));
    const store = await openSqliteStore({ file: join(folder, "gateway.db") });
    const dispose = async () => {
      await store.close();
      await rm(folder, { recursive: true });
    };
    return { store, dispose };
  },
});
