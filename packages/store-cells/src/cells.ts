import type { CellStore, Logger } from "@device-gateway/core/store";
import { cellOf } from "./cell-of.js";

/** The home, and the cells in the order of their numbers. */
export interface Cells {
  readonly home: CellStore;
  readonly cells: readonly CellStore[];
  readonly logger: Logger | undefined;
  /** Returns the cell of a device. */
  of(deviceId: string): CellStore;
  /** Makes a method that calls the cell of the device that its input names. */
  inCell<Input extends { readonly deviceId: string }, Output>(
    call: (cell: CellStore, input: Input) => Promise<Output>,
  ): (input: Input) => Promise<Output>;
}

export function toCells(
  home: CellStore,
  cells: readonly CellStore[],
  logger: Logger | undefined,
): Cells {
  const of = (deviceId: string): CellStore => {
    const cell = cells[cellOf(deviceId, cells.length)];
    if (cell === undefined) throw new TypeError("cells: pass at least one cell.");
    return cell;
  };
  return { home, cells, logger, of, inCell: (call) => (input) => call(of(input.deviceId), input) };
}
