import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";
import { migrate } from "./migrate.js";
import { migrations } from "./migrations.js";

let temporary: ReturnType<typeof createTemporaryFile>;
beforeEach(() => {
  temporary = createTemporaryFile();
});
afterEach(() => temporary.remove());

function execute(sql: string): void {
  const database = new Database(temporary.file);
  database.exec(sql);
  database.close();
}

async function expectRefusal(sentence: RegExp): Promise<void> {
  const { file } = temporary;
  const before = readFileSync(file);
  await expect(openSqliteStore({ file })).rejects.toThrow(sentence);
  expect(readFileSync(file).equals(before), "the file is untouched").toBe(true);
}

it("migrates a new file once", async () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const { file } = temporary;
  await (await openSqliteStore({ file, logger })).close();
  await (await openSqliteStore({ file, logger })).close();
  const from = { file, from: 0, to: migrations.length };
  expect(logger.info.mock.calls).toEqual([[from, expect.any(String)]]);
  expect(logger.warn).not.toHaveBeenCalled();
});

it("does not repeat a migration that another process made meanwhile", () => {
  const faster = new Database(temporary.file);
  const slower = new Database(temporary.file, {
    verbose: (sql) => {
      // Right after it read the old version.
      if (sql === "BEGIN IMMEDIATE") migrate(faster as never);
    },
  });
  expect(migrate(slower as never)).toEqual({ from: 0, to: migrations.length });
  slower.close();
  faster.close();
});

it("treats an empty file as new", async () => {
  writeFileSync(temporary.file, "");
  const store = await openSqliteStore(temporary);
  await store.ping();
  await store.close();
});

it("rejects a newer schema with a message that says what to do", async () => {
  await (await openSqliteStore(temporary)).close();
  execute(`PRAGMA user_version = ${migrations.length + 1}`);
  await expectRefusal(/newer version.*or restore a backup/);
});

it.each([
  "CREATE TABLE notes (text TEXT)",
  "PRAGMA application_id = 1196444487",
  "PRAGMA user_version = 1",
])("rejects another program's database: %s", async (sql) => {
  execute(sql);
  await expectRefusal(/another program.*its own file/);
});

it("rejects a file that is not a database", async () => {
  writeFileSync(temporary.file, "voltage,current\n12.5,0.2\n".repeat(100));
  await expectRefusal(/not a SQLite database.*its own file/);
});
