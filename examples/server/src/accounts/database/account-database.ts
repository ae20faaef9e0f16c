import type { Database } from "better-sqlite3";
import type { Dialect } from "kysely";

export interface PostgresHandle {
  readonly dialect: Dialect;
  readonly type: "postgres";
  readonly schemaName: string;
  readonly transaction: true;
}

export interface AccountDatabase {
  /** The `database` option of better-auth. */
  readonly handle: Database | PostgresHandle;
  /** Creates the tables by calling `create`. Several servers may start and call this at the same time. */
  createTables(create: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
