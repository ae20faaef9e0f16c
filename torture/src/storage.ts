import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GatewayStore } from "@device-gateway/core";
import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/core/testing";
import { openSqliteStore } from "@device-gateway/store-sqlite";

export type StorageKind = "memory" | "sqlite";

/** Where a world is kept: as many stores as one likes over the same contents. */
export interface Storage {
  readonly kind: StorageKind;
  /** The database, for processes that open it themselves. */
  readonly file: string | null;
  open(): Promise<GatewayStore>;
  /** A copy of the contents, to be changed on its own. All stores must be closed. */
  fork(): Storage;
  remove(): void;
}

function memoryStorage(state: MemoryState): Storage {
  return {
    kind: "memory",
    file: null,
    open: async () => createMemoryStore(state),
    fork: () => memoryStorage(structuredClone(state)),
    remove: () => {},
  };
}

function sqliteStorage(folder: string): Storage {
  const file = join(folder, "gateway.db");
  return {
    kind: "sqlite",
    file,
    open: () => openSqliteStore({ file }),
    fork: () => {
      const copy = createFolder();
      copyFileSync(file, join(copy, "gateway.db"));
      return sqliteStorage(copy);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const createFolder = () => mkdtempSync(join(tmpdir(), "torture-"));

/** The storage that another process has made. */
export const storageOfFile = (file: string): Storage => sqliteStorage(dirname(file));

/** An empty storage. */
export const createStorage = (kind: StorageKind): Storage =>
  kind === "memory" ? memoryStorage(createMemoryState()) : sqliteStorage(createFolder());
