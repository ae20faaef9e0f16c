import type { Logger, RowContent } from "@device-gateway/core/store";

/** Rows with the shapes that they need. */
export interface ShapedRows<Row, Shape> {
  /** The rows that can be unpacked. */
  readonly rows: readonly Row[];
  readonly shapes: ReadonlyMap<number, Shape>;
  /** All rows that were read. */
  readonly all: readonly Row[];
}

/** Reads rows together with their shapes. */
export interface ShapedReader {
  /**
   * Reads rows, then their shapes. If a shape is missing, another process may have deleted both: the rows are read
   * again. Rows that are still there are damaged. They are left out, and a line about their shape is logged.
   */
  read<Row extends RowContent, Shape>(
    readRows: () => Promise<readonly Row[]>,
    loadShapes: (ids: readonly number[]) => Promise<ReadonlyMap<number, Shape>>,
  ): Promise<ShapedRows<Row, Shape>>;
  /** Forgets which shapes are missing. */
  clear(): void;
}

/** Numbers of missing shapes that are remembered. */
const remembered = 10_000;

const isReadable =
  (shapes: ReadonlyMap<number, unknown>) =>
  ({ shape }: RowContent): boolean =>
    shape === null || shapes.has(shape);

export function createShapedReader(logger: Logger | undefined): ShapedReader {
  const lost = new Set<number>();

  function markLost(shape: number): void {
    if (lost.size >= remembered) lost.clear();
    lost.add(shape);
    logger?.error(
      { shape },
      "A shape of stored telemetry is missing, so its records cannot be read and are left out. The database lost the shape, for example in a failover to a standby that was behind.",
    );
  }

  return {
    async read(readRows, loadShapes) {
      const suspects = new Set<number>();
      for (;;) {
        const rows = await readRows();
        const ids = [...new Set(rows.flatMap(({ shape }) => shape ?? []))];
        const shapes = await loadShapes(ids.filter((id) => !lost.has(id)));
        const missing = ids.filter((id) => !shapes.has(id));
        const unexpected = missing.filter((id) => !lost.has(id));
        if (unexpected.every((id) => suspects.has(id))) {
          for (const id of unexpected) markLost(id);
          const readable = missing.length === 0 ? rows : rows.filter(isReadable(shapes));
          return { rows: readable, shapes, all: rows };
        }
        for (const id of unexpected) suspects.add(id);
      }
    },
    clear: () => lost.clear(),
  };
}
