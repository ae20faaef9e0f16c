import { cellOf } from "@device-gateway/store-cells";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openCitusServers,
  whyNoCitus,
} from "../../../packages/store-postgres/src/testing/citus-servers.js";
import {
  askOn,
  createTemporaryDatabase,
  listWorkers,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { allTests } from "../../../scripts/all-tests.js";
import { addDevices, expectDevices } from "./testing/cell-devices.js";
import { customerSettings, signCustomer } from "./testing/customer.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";
import { makeTempFolder } from "./testing/start-test-server.js";

const reason = whyNoCitus ?? (allTests ? undefined : "set TEST_ALL=1");
const devices = ["gw-0", "gw-1", "gw-2", "gw-3"];

describe.skipIf(reason !== undefined)(
  reason === undefined ? "on Citus" : `on Citus (skipped: ${reason})`,
  () => {
    it("§1 the cells of the bundled server are schemas on the workers, and continue after SIGKILL", async () => {
      const servers = await openCitusServers();
      onTestFinished(() => servers.stop());
      const database = await createTemporaryDatabase(servers.url);
      onTestFinished(() => database.remove());
      const environment = {
        ...{ ...customerSettings, ACCOUNTS: "0", DATA_DIR: await makeTempFolder() },
        DATABASE_URL: database.url,
        DATABASE_CELLS: "2",
      };
      const program = await buildServer();
      const first = await startServerProcess(program, environment);
      const token = await signCustomer("c-1");
      expect(new Set(devices.map((id) => cellOf(id, 2)))).toEqual(new Set([0, 1]));
      const secrets = await addDevices(first.url, token, devices);
      const placed = await askOn<{ name: string; port: number }>(
        database.url,
        `SELECT DISTINCT schema_name::text AS name, nodeport AS port FROM citus_schemas
         JOIN citus_shards USING (colocation_id) WHERE schema_name::text LIKE 'device_gateway%' ORDER BY 1`,
      );
      const workers = (await listWorkers(servers.url)).map((url) => Number(new URL(url).port));
      const port = expect.toBeOneOf(workers);
      expect(placed).toEqual([
        { name: "device_gateway", port },
        { name: "device_gateway_cell_0", port },
        { name: "device_gateway_cell_1", port },
      ]);
      expect(await first.end("SIGKILL")).toBeNull();

      const second = await startServerProcess(program, environment);
      await expectDevices(second.url, token, secrets);
      expect(await second.end("SIGTERM")).toBe(0);
    });
  },
);
