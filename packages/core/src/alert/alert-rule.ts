/** When a rule's alert fires and clears. Metric names are written as in the history, such as `bms.voltage` (§4). */
export type AlertCondition =
  /** No telemetry was received for this many of the device's intervals. Clears with the next telemetry. */
  | { readonly kind: "silent"; readonly intervals: number }
  /**
   * The metric was above (below) the threshold in every record that has it, for `holdSeconds` of measured time. Clears
   * with a record at or below (above) `clearAt`. `holdSeconds` can be 0, because the number of alerts is limited.
   */
  | {
      readonly kind: "above" | "below";
      readonly metric: string;
      readonly threshold: number;
      readonly clearAt: number;
      readonly holdSeconds: number;
    }
  /** An update of the device ended without success. Clears when one succeeds. */
  | { readonly kind: "update_failed" }
  /**
   * The gateway halted the rollout of a release, because too many updates failed. Clears when the release is activated
   * or withdrawn. Operators only.
   */
  | { readonly kind: "rollout_halted" };

/**
 * Decides when alerts about devices fire and clear. A rule fires at most five alerts about a device in quick succession,
 * and then one every 30 minutes. Times are epoch milliseconds.
 */
export interface AlertRule {
  readonly id: string;
  /** Raised by every change. */
  readonly revision: number;
  /** The rule applies to the devices of this owner. Null: a rule of the operators, for all devices. */
  readonly ownerId: string | null;
  /** Only for this device of the owner. Null: no limit. */
  readonly deviceId: string | null;
  /** Only for devices with this target hardware. Null: no limit. */
  readonly targetHardware: string | null;
  readonly name: string;
  readonly condition: AlertCondition;
  /** Seconds between reminders of an alert that is firing and not acknowledged. Null: no reminders. */
  readonly reminderSeconds: number | null;
  /** No notification is sent until then. */
  readonly mutedUntil: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
}
