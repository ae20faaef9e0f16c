import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
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
  type PostgresServer,
  startPostgresServer,
} from "../../packages/store-postgres/src/testing/postgres-server.js";
import {
  createTemporaryDatabase,
  type TemporaryDatabase,
} from "../../packages/store-postgres/src/testing/temporary-database.js";

export const storageKinds = ["memory", "sqlite", "postgres"] as const;
export type StorageKind = (typeof storageKinds)[number];

/** Where a world is kept: as many stores as one likes over the same contents. */
export interface Storage {
  readonly kind: StorageKind;
  /** The database, for processes that open it themselves: a file, or a URL. */
  readonly place: string | null;
  open(): Promise<GatewayStore>;
  /** A copy of the contents, to be changed on its own. All stores must be closed. */
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

/** A database of the server of this run; a fork is a copy that the server makes. */
const postgresStorage = ({ url, remove }: TemporaryDatabase): Storage => ({
  kind: "postgres",
  place: url,
  open: () => openPostgresStore({ url, poolSize: 8 }),
  fork: async () =>
    postgresStorage(await createTemporaryDatabase(url, new URL(url).pathname.slice(1))),
  remove,
});

let server: Promise<PostgresServer> | undefined;

/** `TEST_DATABASE_URL`, or a server of this process's own, which `stopStorages` ends. */
async function serverUrl(): Promise<string> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return given;
  server ??= startPostgresServer();
  return (await server).url;
}

export async function stopStorages(): Promise<void> {
  await (await server)?.stop();
  server = undefined;
}

/** The storage that another process has made. */
export const storageOfPlace = (place: string): Storage =>
  place.startsWith("postgres")
    ? postgresStorage({ url: place, remove: async () => {} })
    : sqliteStorage(dirname(place));

/** An empty storage. */
export async function createStorage(kind: StorageKind): Promise<Storage> {
  if (kind === "memory") return memoryStorage(createMemoryState());
  if (kind === "sqlite") return sqliteStorage(createFolder());
  return postgresStorage(await createTemporaryDatabase(await serverUrl()));
}
