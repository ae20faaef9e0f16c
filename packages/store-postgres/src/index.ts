export type { InTransaction } from "./database/connection/connection.js";
export { type MigrateOptions, type MigrateOutcome, migratePostgres } from "./migrations/migrate.js";
export {
  type MovePostgresStoreOptions,
  movePostgresStore,
  undoMovePostgresStore,
} from "./moving/move-postgres-store.js";
export {
  type SplitPostgresStoreOptions,
  type SplitRules,
  splitPostgresStore,
  undoSplitPostgresStore,
} from "./moving/split-postgres-store.js";
export type { MoveOutcome, MoveStep, UndoOutcome } from "./moving/transfer.js";
export {
  openPostgresStore,
  type PostgresSource,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./open-postgres-store.js";
export { openPostgresStores, type PostgresStoresOptions } from "./open-postgres-stores.js";
