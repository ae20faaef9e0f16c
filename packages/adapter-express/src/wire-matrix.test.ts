import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, describeWire, type WireSetup } from "@device-gateway/core/testing";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { everyStoreWays, ways } from "./testing/wire-ways.js";

const stores: Record<string, WireSetup["openStore"]> = {
  memory: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), "wire-"));
    const store = await openSqliteStore({ file: join(folder, "gateway.db") });
    const dispose = async () => {
      await store.close();
      await rm(folder, { recursive: true });
    };
    return { store, dispose };
  },
};

for (const [way, serve] of Object.entries(ways)) {
  for (const [kind, openStore] of Object.entries(stores)) {
    if (kind !== "memory" && !everyStoreWays.some((one) => one === way)) continue;
    describeWire(`${way} × ${kind}`, { serve, openStore });
  }
}
