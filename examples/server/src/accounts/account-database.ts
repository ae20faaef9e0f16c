import type { Database } from "better-sqlite3";
import type { Dialect } from "kysely";

interface PostgresHandle {
  readonly dialect: Dialect;
  readonly type: "postgres";
  readonly schemaName: string;
  readonly transaction: true;
}

export interface AccountDatabase {
  /** What better-auth takes. */
  readonly handle: Database | PostgresHandle;
  /** Lets one of the servers that start at the same time make the tables. */
  makeTables(make: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
