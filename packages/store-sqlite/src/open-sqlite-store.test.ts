import { describeStoreConformance } from "@device-gateway/testing";
import { openSqliteStore } from "./open-sqlite-store.js";
import { createMigratedFile } from "./testing/migrated-file.js";

describeStoreConformance("the SQLite store", {
  open: async () => {
    const { file, remove } = await createMigratedFile();
    const handles = [await openSqliteStore({ file }), await openSqliteStore({ file })] as const;
    return {
      handles,
      dispose: async () => {
        for (const store of handles) await store.close();
        remove();
      },
    };
  },
});
