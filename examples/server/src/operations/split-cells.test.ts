import { silentLogger } from "@device-gateway/core";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { readRecordValues, registerSampleDevice, sampleRecord } from "@device-gateway/testing";
import { expect, it, onTestFinished } from "vitest";
import { runOn } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { openStore } from "../data/open-data.js";
import { readSettings } from "../settings/read-settings.js";
import { Settings } from "../settings/settings.js";
import { createCellDatabases } from "../testing/cell-databases.js";
import { cells } from "./cells.js";

it("§1 cells split refuses while a server runs, continues after an interruption, and leaves a database that a server with cells opens", async () => {
  const { home, devices, environment } = await createCellDatabases();
  const reading = readSettings(environment);
  if (reading.kind === "unusable") throw new Error(reading.problems.join());
  const { settings } = reading;
  const run = async (name: string, last?: RegExp, given = settings) => {
    const lines: string[] = [];
    let isOver = false;
    const write = (line: string) => {
      if (isOver || last?.test(line) !== true) return void lines.push(line);
      isOver = true;
      throw new Error("killed");
    };
    const code = await cells(given, [name], write);
    return { code, text: lines.join("\n") };
  };
  const matching = (code: number, text: string | RegExp) => ({
    code,
    text: expect.stringMatching(text),
  });

  expect(await run("split", undefined, Settings.parse({}))).toEqual(
    matching(2, "^Set DATABASE_URL, DATABASE_CELLS"),
  );
  expect(await run("split")).toEqual(matching(1, 'no schema "device_gateway"'));
  const open = () => openPostgresStore({ url: home, poolSize: 1 });
  const before = await open();
  await before.keepKeyCheck("key");
  for (const deviceId of devices) {
    await registerSampleDevice(before, deviceId);
    const records = [sampleRecord({ value: { soc: 50 } })];
    await before.telemetry.append({ deviceId, receivedAt: 0, records, once: null });
  }
  await expect(openStore(settings, silentLogger)).rejects.toThrow("with the command `cells split`");
  expect(await run("split")).toEqual(matching(1, /^Servers have 1 connection .* Stop all servers/));
  expect(await run("undo-split")).toEqual(matching(1, "is not being moved"));
  await before.close();

  const killed = matching(1, "killed$");
  await expect.poll(() => run("split", /^prepared/)).toEqual(killed);
  expect(await run("undo-split")).toEqual(matching(0, "^The split is undone"));
  await (await open()).close();
  await expect.poll(() => run("split", /^fenced/)).toEqual(killed);
  await expect(open(), "no server starts meanwhile").rejects.toThrow("moved");
  expect(await run("split", /^copied device_gateway_cell_1 devices/)).toEqual(killed);
  const next = "Start all servers with DATABASE_CELLS=3 .* DROP SCHEMA device_gateway__moved";
  expect(await run("split")).toEqual(
    matching(
      0,
      new RegExp(`into 3 cells: \\d+ rows, .* minutes per 10 million records\\.\n${next}`),
    ),
  );
  expect(await run("split")).toEqual(matching(0, new RegExp(`was split before\\.\n${next}`)));

  const { store } = await openStore(settings, silentLogger);
  onTestFinished(() => store.close());
  for (const deviceId of devices) {
    expect(await readRecordValues(store, deviceId)).toEqual([{ soc: 50 }]);
  }
  await runOn(home, "DROP SCHEMA device_gateway__moved CASCADE");
});
