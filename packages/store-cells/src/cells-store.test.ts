import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { describeStoreConformance } from "@device-gateway/testing";
import { createCellsStore } from "./create-cells-store.js";

describeStoreConformance("a home and three cells in memory", {
  open: async () => {
    const [home, ...cells] = Array.from({ length: 4 }, () => createMemoryState());
    const open = () =>
      createCellsStore({ home: createMemoryStore(home), cells: cells.map(createMemoryStore) });
    return { handles: [open(), open()], dispose: async () => {} };
  },
});
