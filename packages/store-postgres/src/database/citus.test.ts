import { randomUUID } from "node:crypto";
import {
  runStoreCase,
  type StoreCase,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  storeCases,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { migrations } from "../migrations/migrations.js";
import { replicaIdentities } from "../migrations/replica-identities.js";
import { openPostgresStore, type PostgresStore } from "../open-postgres-store.js";
import { openPostgresStores } from "../open-postgres-stores.js";
import { type CitusServers, openCitusServers, whyNoCitus } from "../testing/citus-servers.js";
import { describeCommitOrder } from "../testing/describe-commit-order.js";
import { describeRemovedLocks } from "../testing/describe-removed-locks.js";
import { oneOfEachSubject } from "../testing/one-of-each-subject.js";
import { openSharedDatabase, type SharedDatabase } from "../testing/shared-database.js";
import { openSharedStores, type SharedStores } from "../testing/shared-stores.js";
import {
  askOn,
  createTemporaryDatabase,
  listWorkers,
  runOn,
} from "../testing/temporary-database.js";
import { defaultSchema } from "./schema-name.js";

/**
 * `describeRemovedLocks` runs races. `TEST_POSTGRES=citus npm test -- open-postgres-store` runs all cases on Citus.
 */
const cases = oneOfEachSubject(storeCases.filter(({ races }) => !races));

const title = whyNoCitus === undefined ? "on Citus" : `on Citus (skipped: ${whyNoCitus})`;

describe.skipIf(whyNoCitus !== undefined)(title, () => {
  let servers: CitusServers;
  /** Most tests share it, because migrating a schema on Citus takes longer than they do. */
  let database: SharedDatabase;
  const serverUrl = () => servers.url;
  const shareDatabase = async () => ({ ...database, remove: async () => {} });
  beforeAll(async () => {
    servers = await openCitusServers();
    database = await openSharedDatabase(serverUrl());
  });
  afterAll(async () => {
    await database.remove();
    await servers.stop();
  });

  describe("a schema that a worker holds", () => {
    let stores: SharedStores;
    beforeAll(async () => {
      const options = { stores: 2, poolSize: 2, schema: "fleet_of_acme" };
      stores = await openSharedStores(serverUrl(), options);
    });
    afterAll(() => stores.remove());

    const run = (storeCase: StoreCase) =>
      runStoreCase(storeCase, {
        open: async () => {
          const [a, b] = await stores.open();
          if (a === undefined || b === undefined) throw new Error("There are two stores.");
          return { handles: [a, b], dispose: async () => {} };
        },
      });
    // On a busy machine, statements on three servers may take longer than a call of the store may. Then the case runs again.
    it.each(cases)("conforms to the store ports: $name", { retry: 5 }, run);

    it("is on a worker with all its tables", async () => {
      const places = await askOn<{ kind: string; node: number }>(
        stores.url,
        "SELECT DISTINCT citus_table_type AS kind, nodeport AS node FROM citus_shards",
      );
      const workers = (await listWorkers(serverUrl())).map((url) => Number(new URL(url).port));
      expect(places).toEqual([{ kind: "schema", node: expect.toBeOneOf(workers) }]);
      const tables = "FROM pg_class WHERE relkind IN ('r', 'p')";
      const [counts] = await askOn(
        stores.url,
        `SELECT (SELECT count(*) ${tables} AND relnamespace = 'fleet_of_acme'::regnamespace) AS all,
           (SELECT count(*) FROM citus_shards) AS placed`,
      );
      expect(counts).toMatchObject({ placed: (counts as { all: string }).all });
    });
  });

  describeCommitOrder(shareDatabase);

  it("following telemetry copies no table to the coordinator", async () => {
    await database.empty();
    const { url } = database;
    const store = await openPostgresStore({ url, poolSize: 1 });
    onTestFinished(() => store.close());
    const [device, event] = [sampleDevice("gw-1"), sampleEvent("gw-1")];
    await store.devices.register({ device, event });
    const records = [sampleRecord({ seq: 7 })];
    await store.telemetry.append({ deviceId: "gw-1", receivedAt: 0, once: null, records });
    await runOn(
      url,
      `INSERT INTO device_gateway.device_activity (device_id)
       SELECT 'other-' || n FROM generate_series(1, 1000) AS n`,
    );
    const limited = new URL(url);
    limited.searchParams.set("options", "-c citus.max_intermediate_result_size=4");
    const reader = await openPostgresStore({ url: limited.href, poolSize: 1 });
    onTestFinished(() => reader.close());
    const { records: followed } = await reader.telemetry.follow({ after: "", limit: 9 });
    expect(followed).toMatchObject([{ deviceId: "gw-1", seq: 7 }]);
  });

  // On a busy machine, the locked commit may time out before the other one ends. Then the test runs again.
  it("the commits of one schema do not wait for those of another", { retry: 5 }, async () => {
    const { url } = database;
    const schemas = [defaultSchema, "cell_1"];
    const stores = await openPostgresStores({ url, schemas, poolSize: 4 });
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    // The test may run again, with the rows of the run before.
    const deviceId = randomUUID();
    const [device, event] = [sampleDevice(deviceId), sampleEvent(deviceId)];
    for (const store of stores) await store.devices.register({ device, event });
    const locking = new Client({ connectionString: url });
    await locking.connect();
    onTestFinished(() => locking.end());
    await locking.query("BEGIN; LOCK TABLE device_gateway.telemetry IN ACCESS EXCLUSIVE MODE");
    // Without this, a commit would give up its turn after a while.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const append = async ({ telemetry }: PostgresStore, seq: number) => {
      const records = [sampleRecord({ seq })];
      await telemetry.append({ deviceId, receivedAt: 0, once: null, records });
      return seq;
    };
    const appended = stores.map(append);
    expect(await Promise.race(appended)).toBe(1);
    await locking.query("COMMIT");
    await Promise.allSettled(appended);
  });

  it("the URL of a worker is refused, with the advice to use the coordinator", async () => {
    const [worker = ""] = await listWorkers(serverUrl());
    const { host } = new URL(worker);
    const onWorker = Object.assign(new URL(database.url), { host }).href;
    await expect(openPostgresStore({ url: onWorker })).rejects.toThrow(
      /on a worker of Citus. Use the URL of the coordinator/,
    );
  });

  it("a schema of an earlier version is migrated where it is", async () => {
    const { url, remove } = await createTemporaryDatabase(serverUrl());
    onTestFinished(() => remove());
    const client = new Client({ connectionString: url });
    await client.connect();
    const version = migrations.indexOf(replicaIdentities);
    await client.query(
      `SET citus.enable_schema_based_sharding = off; CREATE SCHEMA device_gateway;
       CREATE TABLE device_gateway.schema_version (version integer NOT NULL);
       INSERT INTO device_gateway.schema_version (version) VALUES (${version})`,
    );
    for (const migration of migrations.slice(0, version)) await client.query(migration);
    await client.query("SELECT citus_schema_distribute('device_gateway')");
    await client.end();
    const store = await openPostgresStore({ url, poolSize: 1 });
    await store.ping();
    await store.close();
  });

  // One lock of each kind: of a row, of an id without a row, of a budget. Comes last, because it replaces functions.
  describeRemovedLocks(shareDatabase, [
    "claim: exactly one of many racers wins, and writes its event",
    "append: stores a record once that many racers send",
    "reserve: exactly as many racers as the limit are reserved",
  ]);
});
