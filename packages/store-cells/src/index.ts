export { cellOf } from "./cell-of.js";
export { type CellsStoreOptions, createCellsStore } from "./create-cells-store.js";
export { type CellsLayout, checkCells, readCellCount, WrongCellsError } from "./layout-check.js";
export { type CellsSplitRules, splitRules } from "./split-rules.js";
