import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../database/database.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createMigratedFile } from "../testing/migrated-file.js";

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

let file: Awaited<ReturnType<typeof createMigratedFile>>;
let store: Store;
let executed: string[] = [];
beforeAll(async () => {
  file = await createMigratedFile();
  const verbose = (sql: unknown) => void executed.push(String(sql));
  store = await openSqliteStore({
    file: file.file,
    driver: async (path) => new Sqlite(path, { timeout: 0, verbose }) as unknown as Database,
  });
});
afterAll(async () => {
  await store.close();
  file.remove();
});

const limit = 50;
const searches: Record<string, (devices: Store["devices"]) => Promise<unknown>> = {
  devices_by_name: (devices) =>
    devices.search({ by: "name", from: "Pump", to: "Pump~", after: null, limit }),
  devices_by_owner: (devices) =>
    devices.search({ by: "ownerId", from: "ann", to: "ann", after: null, limit }),
  devices_by_hardware: (devices) =>
    devices.search({
      ...{ by: "targetHardware", from: "h", to: "h", limit },
      after: { value: "h", deviceId: "gw-1" },
    }),
  devices_by_version: (devices) =>
    devices.search({ by: "firmwareVersion", from: "1.", to: "1.~", after: null, limit }),
  devices_revoked: (devices) => devices.listMarked({ mark: "revoked", after: "gw-1", limit }),
  devices_unclaimed: (devices) => devices.listMarked({ mark: "unclaimed", after: "gw-1", limit }),
};

it.each(Object.entries(searches))(
  "§8 an operator's search reads the index %s in its order, so that its cost does not grow with the fleet",
  async (index, search) => {
    executed = [];
    await search(store.devices);
    const [sql = "", ...others] = executed.filter((one) => one.includes("FROM devices"));
    expect(others).toEqual([]);
    const database = new Sqlite(file.file, { readonly: true });
    const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
    database.close();
    const steps = plan.map(({ detail }) => detail);
    // Neither a scan of the table, nor a sort of what was found.
    expect(steps[0]).toContain(`SEARCH d USING INDEX ${index} (`);
    expect(steps.slice(1)).toEqual([expect.stringMatching(/^SEARCH s USING INTEGER PRIMARY KEY/)]);
  },
);
