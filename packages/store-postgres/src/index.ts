export { type MigrateOptions, type MigrateOutcome, migratePostgres } from "./migrate.js";
export { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";
