import type { Logger } from "@device-gateway/core/store";
import type { LineageWatch } from "../database/changes/lineage.js";
import {
  createTelemetryPartitions,
  type TelemetryPartitions,
} from "./retention/telemetry-partitions.js";
import { createShapeRows, type ShapeRows } from "./shapes/shape-rows.js";
import { createShapeUses, type ShapeUses } from "./shapes/shape-uses.js";

/** What a process remembers of the telemetry tables. */
export interface TelemetryCaches {
  readonly uses: ShapeUses;
  readonly shapes: ShapeRows;
  readonly partitions: TelemetryPartitions;
  clear(): void;
}

/** Creates the caches. They are cleared when the database has another lineage. */
export function createTelemetryCaches(
  lineages: LineageWatch,
  logger: Logger | undefined,
): TelemetryCaches {
  const uses = createShapeUses();
  const shapes = createShapeRows(uses, logger);
  const partitions = createTelemetryPartitions();
  const clear = () => {
    shapes.clearCache();
    uses.clearCache();
    partitions.clearCache();
  };
  lineages.subscribe(clear);
  return { uses, shapes, partitions, clear };
}
