import { describeMetric, type MetricDescriptions } from "@device-gateway/core/contract";
import { displayName, metricUnit } from "./metric-names.js";

/** How a metric is shown. */
export interface MetricFormat {
  readonly name: string;
  readonly unit?: string | undefined;
  /** How many decimals its values have. Undefined: as many as are significant. */
  readonly decimals?: number | undefined;
  /** The axis of a chart begins here or lower. */
  readonly min?: number | undefined;
  /** The axis of a chart ends here or higher. */
  readonly max?: number | undefined;
}

export type FormatOf = (metric: string) => MetricFormat;

/** Creates a function that returns how a metric is shown. A record may have a unit beside its value. */
export function createFormats(
  descriptions: MetricDescriptions,
  record: Readonly<Record<string, unknown>> = {},
): FormatOf {
  const known = new Map<string, MetricFormat>();
  return (metric) => {
    const found = known.get(metric);
    if (found !== undefined) return found;
    const { displayName: name = displayName(metric), ...rest } = describeMetric(
      descriptions,
      metric,
    );
    const format = { unit: metricUnit(record, metric), ...rest, name };
    known.set(metric, format);
    return format;
  };
}
