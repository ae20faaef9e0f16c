import { type Session, statement } from "../statement.js";

const readMode = statement<object, { readOnly: boolean }>(
  "SELECT current_setting('transaction_read_only') = 'on' AS \"readOnly\"",
);

/** Rejects with `read_only_sql_transaction`, as a write does, if the server is read-only. */
export async function checkWritable(session: Session): Promise<void> {
  const [mode] = await readMode(session, {});
  if (mode?.readOnly !== true) return;
  const error = new Error("the server is read-only, like a standby");
  throw Object.assign(error, { code: "25006" });
}
