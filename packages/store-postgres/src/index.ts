export type { InTransaction } from "./database/connection.js";
export { type MigrateOptions, type MigrateOutcome, migratePostgres } from "./migrations/migrate.js";
export {
  openPostgresStore,
  type PostgresSource,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./open-postgres-store.js";
export { openPostgresStores, type PostgresStoresOptions } from "./open-postgres-stores.js";
