import type { SecurityEvent } from "../audit/security-event.js";
import type { MetricDescriptions } from "../contract/index.js";

/** Stores how operators want the metrics of a target hardware to be shown. */
export interface MetricStore {
  /** Returns the descriptions for a target hardware, or null if none are set. */
  find(targetHardware: string): Promise<MetricDescriptions | null>;
  /**
   * Replaces the descriptions and writes the event, in one transaction, if they are still `expected`. Null stands for
   * none. Returns `conflict` if they are not.
   */
  replace(input: {
    targetHardware: string;
    expected: MetricDescriptions | null;
    next: MetricDescriptions | null;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "replaced" | "conflict" }>;
}
