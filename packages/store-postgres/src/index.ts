export { type MigrateOptions, type MigrateOutcome, migratePostgres } from "./migrations/migrate.js";
export {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from "./open-postgres-store.js";
