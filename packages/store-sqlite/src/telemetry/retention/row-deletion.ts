import type { Database } from "../../database/database.js";
import { takePage } from "../row-page.js";

/** Deletes at most `most` rows of a device. Returns how many, or `most` if it deleted fewer because they are large. */
export type DeleteRows = (device: number, most: number) => number;

export function prepareRowDeletion(database: Database, table: string, key: string): DeleteRows {
  const deletion = database.prepare<[number, number]>(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE device = ? LIMIT ?)`,
  );
  return (device, most) => deletion.run(device, most).changes;
}

/** Like `prepareRowDeletion`, for a table whose rows may be large. */
export function prepareSizedDeletion(database: Database, table: string, key: string): DeleteRows {
  const deleteRows = prepareRowDeletion(database, table, key);
  const lengths = database
    .prepare<[number, number], number>(
      `SELECT length(content) FROM ${table} WHERE device = ? LIMIT ?`,
    )
    .pluck();
  return (device, most) => {
    const { rows, isCut } = takePage(lengths.iterate(device, most));
    const deleted = deleteRows(device, rows.length);
    return isCut ? most : deleted;
  };
}
