import type { MetricDescriptions } from "../contract/index.js";

/**
 * How metrics are shown: display names, units, decimals and ranges, by the names of the metrics (§7). A `*` in a name
 * stands for any index of a list. Operators can change each field for a target hardware.
 */
export interface MetricOptions {
  /** For every device. */
  readonly defaults?: MetricDescriptions;
  /** By target hardware. Each field replaces that of the defaults. */
  readonly byTargetHardware?: Readonly<Record<string, MetricDescriptions>>;
}
