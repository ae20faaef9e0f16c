import { type Session, statement } from "./statement.js";

const readMode = statement<object, { readOnly: boolean }>(
  "SELECT current_setting('transaction_read_only') = 'on' AS \"readOnly\"",
);

/** Rejects as a write would, with `read_only_sql_transaction`, where the server takes none. */
export async function checkWritable(session: Session): Promise<void> {
  const [mode] = await readMode(session, {});
  if (mode?.readOnly !== true) return;
  const error = new Error("the server is read-only, as a standby is");
  throw Object.assign(error, { code: "25006" });
}
