import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GatewayStore } from "@device-gateway/core";
import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import {
  createMigratedDatabase,
  templateName,
} from "../../packages/store-postgres/src/testing/migrated-database.js";
import {
  createTemporaryDatabase,
  dropDatabase,
  type TemporaryDatabase,
} from "../../packages/store-postgres/src/testing/temporary-database.js";
import {
  startTestServer,
  type TestServer,
} from "../../packages/store-postgres/src/testing/test-server.js";
import { readMigratedFile } from "../../packages/store-sqlite/src/testing/migrated-file.js";

export const storageKinds = ["memory", "sqlite", "postgres"] as const;
export type StorageKind = (typeof storageKinds)[number];

/** Storage that any number of stores can open. */
export interface Storage {
  readonly kind: StorageKind;
  /** File path or URL of the database, for other processes. Null for memory. */
  readonly place: string | null;
  open(): Promise<GatewayStore>;
  /** Creates an independent copy. All stores must be closed. */
  fork(): Promise<Storage>;
  remove(): Promise<void>;
}

function memoryStorage(state: MemoryState): Storage {
  return {
    kind: "memory",
    place: null,
    open: async () => createMemoryStore(state),
    fork: async () => memoryStorage(structuredClone(state)),
    remove: async () => {},
  };
}

function sqliteStorage(folder: string): Storage {
  const file = join(folder, "gateway.db");
  return {
    kind: "sqlite",
    place: file,
    open: () => openSqliteStore({ file }),
    fork: async () => {
      const copy = createFolder();
      copyFileSync(file, join(copy, "gateway.db"));
      return sqliteStorage(copy);
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const createFolder = () => mkdtempSync(join(tmpdir(), "torture-"));

/** A temporary Postgres database. The server copies it for a fork. */
const postgresStorage = ({ url, remove }: TemporaryDatabase): Storage => ({
  kind: "postgres",
  place: url,
  open: () => openPostgresStore({ url, poolSize: 8 }),
  fork: async () =>
    postgresStorage(await createTemporaryDatabase(url, new URL(url).pathname.slice(1))),
  remove,
});

let server: Promise<TestServer> | undefined;

/** Returns `TEST_DATABASE_URL`, or starts a server, which `stopStorages` stops. */
async function serverUrl(): Promise<string> {
  const configured = process.env["TEST_DATABASE_URL"];
  if (configured) return configured;
  server ??= startTestServer();
  return (await server).url;
}

export async function stopStorages(): Promise<void> {
  const configured = process.env["TEST_DATABASE_URL"];
  if (configured) await dropDatabase(configured, templateName);
  await (await server)?.stop();
  server = undefined;
}

/** Opens storage that another process created. */
export const storageOfPlace = (place: string): Storage =>
  place.startsWith("postgres")
    ? postgresStorage({ url: place, remove: async () => {} })
    : sqliteStorage(dirname(place));

/** Creates a Postgres database without the schema. */
export const createEmptyDatabase = async (): Promise<Storage> =>
  postgresStorage(await createTemporaryDatabase(await serverUrl()));

/** Creates storage with the current schema and no rows. */
export async function createStorage(kind: StorageKind): Promise<Storage> {
  if (kind === "memory") return memoryStorage(createMemoryState());
  if (kind === "sqlite") {
    const folder = createFolder();
    writeFileSync(join(folder, "gateway.db"), await readMigratedFile());
    return sqliteStorage(folder);
  }
  return postgresStorage(await createMigratedDatabase(await serverUrl()));
}
