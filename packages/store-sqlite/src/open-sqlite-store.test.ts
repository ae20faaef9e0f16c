import { describeStoreConformance } from "@device-gateway/testing";
import { openSqliteStore } from "./open-sqlite-store.js";
import { createTemporaryFile } from "./testing/temporary-file.js";

describeStoreConformance("the SQLite store", {
  open: async () => {
    const { file, remove } = createTemporaryFile();
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
