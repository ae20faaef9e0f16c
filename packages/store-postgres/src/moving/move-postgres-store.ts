import { defaultSchema } from "../database/schema-name.js";
import {
  checkMovableName,
  connectMover,
  isSameDatabase,
  lockMove,
  withSource,
} from "./mover-connection.js";
import { allRows } from "./tables.js";
import {
  type MoveOutcome,
  type MoveStep,
  transfer,
  type UndoOutcome,
  undoTransfer,
} from "./transfer.js";

export interface MovePostgresStoreOptions {
  /** Connection URL of the role that owns the schema, without a pooler. */
  readonly from: string;
  /** Connection URL of a role that may create schemas in the other database, without a pooler. */
  readonly to: string;
  /** The schema, which has the same name in both databases: at most 50 characters. Default: `device_gateway`. */
  readonly schema?: string;
  /** The role of the other database that servers run as. It is granted the rights that they need. */
  readonly runtimeRole?: string;
  /** Called and awaited after each step. If it rejects, the move is interrupted. */
  readonly onStep?: (step: MoveStep) => Promise<void> | void;
}

/**
 * Moves a store, such as a cell, to another database, with all rows, ids and positions. Until it has moved, its servers answer
 * 503. Afterwards they need the new URL: at the old place they find no tables. If it is interrupted, call it again: it
 * continues. The source keeps the rows in the schema `<schema>__moved`.
 * @throws {TypeError} if a URL or the name of the schema is not valid, or both URLs lead to one database.
 * @throws {Error} if the schema does not exist or has another version, the target has one, another process moves it, or the
 * rows in the target are not those of the source.
 * @throws {StoreUnavailableError} if a database does not answer.
 *
 * @example
 * await movePostgresStore({ from: "postgres://owner@db-1/gateway", to: "postgres://owner@db-2/gateway", schema: "cell_3" });
 */
export async function movePostgresStore(options: MovePostgresStoreOptions): Promise<MoveOutcome> {
  const { from, to, schema = defaultSchema, runtimeRole, onStep } = options;
  checkMovableName(schema);
  return withSource(from, "from", schema, async (source) => {
    const client = await connectMover(to, "to");
    try {
      if (await isSameDatabase(source, client)) {
        throw new TypeError(
          "from and to are URLs of the same database. Pass the URL of another database as `to`.",
        );
      }
      // The target may still work for a call that was killed.
      await lockMove(client, schema);
      return await transfer({
        ...{ source, schema, runtimeRole, onStep },
        targets: async () => [{ client, schema, rowsOf: allRows }],
      });
    } finally {
      await client.end();
    }
  });
}

/**
 * Undoes `movePostgresStore` if it was interrupted: servers can use the source again. Deletes what has arrived in the target,
 * unless the target cannot be reached.
 * @throws {Error} if the schema is not being moved, or was moved: the target may have newer data then.
 * @throws {StoreUnavailableError} if the source does not answer.
 *
 * @example
 * const { left } = await undoMovePostgresStore({ from, to, schema: "cell_3" }); // as for `movePostgresStore`
 */
export async function undoMovePostgresStore({
  from,
  to,
  schema = defaultSchema,
}: Pick<MovePostgresStoreOptions, "from" | "to" | "schema">): Promise<UndoOutcome> {
  checkMovableName(schema);
  return withSource(from, "from", schema, (source) =>
    undoTransfer(source, schema, [{ schema, open: () => connectMover(to, "to") }]),
  );
}
