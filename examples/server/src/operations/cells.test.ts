import { openPostgresStore } from "@device-gateway/store-postgres";
import { registerSampleDevice } from "@device-gateway/testing";
import { expect, inject, it, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { Settings } from "../settings/settings.js";
import { cells } from "./cells.js";

it("cells moves a cell to another database, and says how long a GB took", async () => {
  const create = async () => {
    const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
    onTestFinished(remove);
    return url;
  };
  const [CELL_FROM_URL, CELL_TO_URL] = [await create(), await create()];
  const schema = "device_gateway_cell_3";
  const open = (url: string) => openPostgresStore({ url, schema, poolSize: 1 });
  const before = await open(CELL_FROM_URL);
  await registerSampleDevice(before, "gw-1");
  await before.close();
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const code = await cells(Settings.parse({}), args, write, { CELL_FROM_URL, CELL_TO_URL });
    return { code, text: lines.join("\n") };
  };
  const matching = (code: number, text: string | RegExp) => ({
    code,
    text: expect.stringMatching(text),
  });

  expect(await run("split", schema)).toEqual(matching(2, /^Usage: /));
  expect(await run("move", schema, "--to")).toEqual(
    matching(2, /^Unknown option '--to'.*\nUsage/s),
  );
  expect(await run("undo", schema)).toEqual(matching(1, "is not being moved"));
  expect(await run("move", "cell_9")).toEqual(matching(1, 'no schema "cell_9"'));
  const moved = `^fenced\nprepared ${schema}\n[^]*handed over\nopened ${schema}\nMoved ${schema}: \\d+ rows, .* minutes per GB`;
  expect(await run("move", schema)).toEqual(matching(0, new RegExp(moved)));
  expect(await run("move", schema)).toEqual(matching(0, "was moved before"));
  const after = await open(CELL_TO_URL);
  expect(await after.devices.find("gw-1")).not.toBeNull();
  await after.close();
});
