import { defaultSchema } from "../database/schema-name.js";
import { ask, checkMovableName, connectMover, lockMove } from "./mover-connection.js";
import { allRows } from "./tables.js";
import { type MoveOutcome, type MoveStep, transfer, undoTransfer } from "./transfer.js";

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

async function withBoth<Outcome>(
  { from, to, schema = defaultSchema }: MovePostgresStoreOptions,
  work: (
    source: Awaited<ReturnType<typeof connectMover>>,
    target: Awaited<ReturnType<typeof connectMover>>,
    schema: string,
  ) => Promise<Outcome>,
): Promise<Outcome> {
  checkMovableName(schema);
  const source = await connectMover(from, "from");
  try {
    await lockMove(source, schema);
    const target = await connectMover(to, "to");
    try {
      return await work(source, target, schema);
    } finally {
      await target.end();
    }
  } finally {
    await source.end();
  }
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
  return withBoth(options, async (source, client, schema) => {
    // The lock of the move is one of the database.
    const [other] = await ask<{ free: boolean }>(
      client,
      "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS free",
      [`device-gateway move ${schema}`],
    );
    if (other?.free !== true) throw new TypeError("from and to are URLs of the same database.");
    const { runtimeRole, onStep } = options;
    return transfer({
      ...{ source, schema, runtimeRole, onStep },
      targets: async () => [{ client, schema, rowsOf: allRows }],
    });
  });
}

/**
 * Undoes `movePostgresStore` if it was interrupted: servers can use the source again. Deletes what has arrived in the target.
 * @throws {Error} if the schema is not being moved, or was moved: the target may have newer data then.
 */
export async function undoMovePostgresStore(
  options: Pick<MovePostgresStoreOptions, "from" | "to" | "schema">,
): Promise<void> {
  await withBoth(options, (source, client, schema) =>
    undoTransfer(source, schema, async () => [{ client, schema, rowsOf: allRows }]),
  );
}
