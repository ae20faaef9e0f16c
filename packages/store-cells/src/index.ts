export { cellOf } from "./cell-of.js";
export { type CellsStoreOptions, createCellsStore } from "./create-cells-store.js";
