import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { silentLogger } from "@device-gateway/core";
import { expect, it } from "vitest";
import { askOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { openStore } from "./data/open-data.js";
import { readSettings } from "./settings/read-settings.js";
import { createCellDatabases } from "./testing/cell-databases.js";
import { addDevices, expectDevices } from "./testing/cell-devices.js";
import { signCustomer } from "./testing/customer.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";

const readSchemas = async (url: string) => {
  const sql =
    "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'device_gateway%' ORDER BY 1";
  return (await askOn<{ name: string }>(url, sql)).map(({ name }) => name);
};

it("§1 the bundled server spreads devices over cells in two databases, continues after SIGKILL, and refuses other cells", async () => {
  const { home, other, devices, environment } = await createCellDatabases();
  const program = await buildServer();
  const first = await startServerProcess(program, environment);
  const token = await signCustomer("c-1");
  const secrets = await addDevices(first.url, token, devices);
  expect(await readSchemas(home)).toEqual(["device_gateway", "device_gateway_cell_0"]);
  expect(await readSchemas(other)).toEqual(["device_gateway_cell_1", "device_gateway_cell_2"]);
  expect(await first.end("SIGKILL")).toBeNull();

  const second = await startServerProcess(program, environment);
  await expectDevices(second.url, token, secrets);
  const run = promisify(execFile);
  const env = { ...environment, PATH: process.env["PATH"] };
  const rebuilt = await run(process.execPath, [program, "rebuild-roll-ups"], { env });
  expect(rebuilt.stdout).toMatch(/^3 hours were marked for rebuilding/);
  const webhooks = await run(process.execPath, [program, "webhooks", "list"], { env });
  expect(webhooks.stdout).toContain('"endpoints": []');
  expect(await second.end("SIGTERM")).toBe(0);

  const otherNumber = { ...environment, DATABASE_CELLS: "4" };
  await expect(startServerProcess(program, otherNumber)).rejects.toThrow(
    /with DATABASE_CELLS=3, and DATABASE_CELLS is 4\. .* set DATABASE_CELLS=3/,
  );
  const refusals: readonly [Readonly<Record<string, string>>, RegExp][] = [
    [{ DATABASE_CELLS: "", DATABASE_CELL_URLS: "" }, /DATABASE_CELLS=3, and DATABASE_CELLS is 1\./],
    [
      { DATABASE_CELL_URLS: `0=${other} 1-2=${home}` },
      /The schema device_gateway_cell_0 in the database that DATABASE_CELL_URLS names for it is empty or belongs to another gateway/,
    ],
    [
      { DATABASE_CELL_URLS: "1-2=postgres://nobody@127.0.0.1:1/none" },
      /The database of cell 1, 2 cannot be used: .* correct DATABASE_CELL_URLS/,
    ],
  ];
  for (const [changes, sentence] of refusals) {
    const reading = readSettings({ ...environment, ...changes });
    if (reading.kind === "unusable") throw new Error(reading.problems.join());
    await expect(openStore(reading.settings, silentLogger)).rejects.toThrow(sentence);
  }
  expect(await readSchemas(home), "a wrong number creates nothing").not.toContain(
    "device_gateway_cell_3",
  );
});
