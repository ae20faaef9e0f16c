import { expect, onTestFinished, test } from "vitest";
import type { SqliteDriver } from "../database/database.js";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";
import { betterSqlite3 } from "./better-sqlite3.js";
import { bunSqlite } from "./bun-sqlite.js";

test("a SQLite that does not keep synchronous = FULL is refused", async () => {
  const { file, remove } = createTemporaryFile();
  onTestFinished(remove);
  const careless: SqliteDriver = async (path) => {
    const database = await betterSqlite3(path);
    database.pragma("synchronous = NORMAL");
    return {
      prepare: (sql) => database.prepare(sql),
      transaction: (work) => database.transaction(work),
      inTransaction: false,
      exec: (sql) => database.exec(sql),
      pragma: (source, options) =>
        source === "synchronous = FULL" ? undefined : database.pragma(source, options),
      close: () => database.close(),
    };
  };
  await expect(openSqliteStore({ file, driver: careless })).rejects.toThrow(
    /does not sync commits to the disk .*Use another driver/,
  );
});

test("a driver of another runtime says which runtime it needs", async () => {
  await expect(openSqliteStore({ file: "none.db", driver: bunSqlite })).rejects.toThrow(
    /no bun:sqlite\. Use Bun/,
  );
});
