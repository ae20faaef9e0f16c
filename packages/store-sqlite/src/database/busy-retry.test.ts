import { StoreUnavailableError } from "@device-gateway/core/store";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { toStoreError } from "./busy-retry.js";

const sqliteError = (code: string) => new Database.SqliteError("says SQLite", code);

it.each([
  "SQLITE_BUSY",
  "SQLITE_BUSY_SNAPSHOT",
  "SQLITE_FULL",
  "SQLITE_IOERR_FSYNC",
  "SQLITE_READONLY_DIRECTORY",
  "SQLITE_CANTOPEN",
])("turns %s into an unavailable error", (code) => {
  const cause = sqliteError(code);
  expect(toStoreError(cause)).toBeInstanceOf(StoreUnavailableError);
  expect(toStoreError(cause)).toMatchObject({ cause });
});

it.each([sqliteError("SQLITE_CORRUPT"), sqliteError("SQLITE_CONSTRAINT"), new TypeError("busy")])(
  "returns %s unchanged",
  (error) => {
    expect(toStoreError(error)).toBe(error);
  },
);
