import type { OtaState } from "../contract/index.js";
import {
  type DeviceUpdate,
  type UpdateOutcome,
  underWayStates,
} from "../ota/update/device-update.js";
import type { Flag } from "./ota-row.js";

/** A row of `device_updates`. */
export interface UpdateRow {
  readonly deviceId: string;
  readonly releaseId: number;
  readonly state: OtaState;
  readonly fromVersion: string;
  readonly offeredAt: number;
  readonly updatedAt: number;
  readonly attempts: string;
  readonly attemptServed: Flag;
  readonly failures: number;
  readonly outcome: UpdateOutcome | null;
  readonly outcomeRound: number | null;
}

/** The columns of `device_updates` by the names of `UpdateRow`. */
export const updateColumnNames = {
  deviceId: "device_id",
  releaseId: "release_id",
  state: "state",
  fromVersion: "from_version",
  offeredAt: "offered_at",
  updatedAt: "updated_at",
  attempts: "attempts",
  attemptServed: "attempt_served",
  failures: "failures",
  outcome: "outcome",
  outcomeRound: "outcome_round",
} as const satisfies Record<keyof UpdateRow, string>;

/** The SQL condition of updates that are under way. It must equal that of the partial indexes in the schemas. */
export const isUnderWaySql = `state IN (${underWayStates.map((state) => `'${state}'`).join(", ")})`;

/**
 * Returns the columns of an update.
 *
 * @example
 * writeUpdate.run(toUpdateRow(update));
 */
export const toUpdateRow = ({ outcome, ...update }: DeviceUpdate): UpdateRow => ({
  ...update,
  attempts: JSON.stringify(update.attempts),
  outcome: outcome?.kind ?? null,
  outcomeRound: outcome?.round ?? null,
});

/**
 * Returns the update of a row.
 *
 * @example
 * const updates = listUpdates.all(deviceId).map(toUpdate);
 */
export const toUpdate = ({ outcome, outcomeRound, ...row }: UpdateRow): DeviceUpdate => ({
  ...row,
  attempts: JSON.parse(row.attempts) as number[],
  attemptServed: Boolean(row.attemptServed),
  outcome:
    outcome === null || outcomeRound === null ? null : { kind: outcome, round: outcomeRound },
});
