import type { DeviceUpdate, OtaState, UpdateOutcome } from "@device-gateway/core/store";

/** A row of `device_updates`. */
export interface UpdateRow {
  readonly deviceId: string;
  readonly releaseId: number;
  readonly state: OtaState;
  readonly fromVersion: string;
  readonly offeredAt: number;
  readonly updatedAt: number;
  readonly attempts: string;
  readonly attemptServed: 0 | 1;
  readonly failures: number;
  readonly outcome: UpdateOutcome | null;
  readonly outcomeRound: number | null;
}

const columns = {
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

const entries = Object.entries(columns);

/** The column list of a SELECT from `device_updates u` that returns `UpdateRow`s. */
export const updateColumns: string = entries
  .map(([name, column]) => `u.${column} AS ${name}`)
  .join(", ");

/**
 * Inserts or replaces an `UpdateRow`. It is an upsert so that the triggers see a change as an
 * UPDATE.
 */
export const putUpdate: string = `
  INSERT INTO device_updates (${Object.values(columns).join(", ")})
  VALUES (${Object.keys(columns)
    .map((name) => `@${name}`)
    .join(", ")})
  ON CONFLICT (device_id, release_id) DO UPDATE SET
    ${entries
      .filter(([name]) => name !== "deviceId" && name !== "releaseId")
      .map(([name, column]) => `${column} = @${name}`)
      .join(", ")}`;

export const toUpdateRow = ({ outcome, ...update }: DeviceUpdate): UpdateRow => ({
  ...update,
  attempts: JSON.stringify(update.attempts),
  attemptServed: update.attemptServed ? 1 : 0,
  outcome: outcome?.kind ?? null,
  outcomeRound: outcome?.round ?? null,
});

export const toUpdate = ({ outcome, outcomeRound, ...row }: UpdateRow): DeviceUpdate => ({
  ...row,
  attempts: JSON.parse(row.attempts) as number[],
  attemptServed: row.attemptServed === 1,
  outcome:
    outcome === null || outcomeRound === null ? null : { kind: outcome, round: outcomeRound },
});
