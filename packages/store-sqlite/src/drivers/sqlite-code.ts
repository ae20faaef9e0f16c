/** Primary result codes (https://sqlite.org/rescode.html) that the store distinguishes. */
const names: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  26: "SQLITE_NOTADB",
};

/**
 * Returns the name of SQLite's result code in an error of any driver, or an empty string if it has none. better-sqlite3
 * and Bun report the name, node:sqlite reports the number.
 */
export function sqliteCodeOf(error: unknown): string {
  const { code, errcode } = (error ?? {}) as {
    readonly code?: unknown;
    readonly errcode?: unknown;
  };
  if (typeof errcode === "number") return names[errcode & 0xff] ?? "";
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : "";
}
