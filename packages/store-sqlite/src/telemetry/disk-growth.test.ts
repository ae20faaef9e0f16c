import { describeGrowth } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";

let file = "";

describeGrowth("the SQLite store", {
  openStore: async () => {
    const temporary = createTemporaryFile();
    file = temporary.file;
    const store = await openSqliteStore({ file });
    const dispose = async () => {
      await store.close();
      temporary.remove();
    };
    return { store, dispose };
  },
  bytesOnDisk: async () => {
    const database = new Database(file);
    try {
      database.pragma("wal_checkpoint(TRUNCATE)");
      const read = (name: string) => database.pragma(name, { simple: true }) as number;
      return (read("page_count") - read("freelist_count")) * read("page_size");
    } finally {
      database.close();
    }
  },
});
