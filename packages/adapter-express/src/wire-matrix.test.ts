import { createMemoryStore } from "@device-gateway/store-memory";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { describeWire } from "@device-gateway/testing";
import { createMigratedFile } from "../../store-sqlite/src/testing/migrated-file.js";
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
    const { file, remove } = await createMigratedFile();
    const store = await openSqliteStore({ file });
    const dispose = async () => {
      await store.close();
      remove();
    };
    return { store, dispose };
  },
});
