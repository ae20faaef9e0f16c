import type { AlertWatch, JsonObject, JsonValue } from "@device-gateway/core/store";
import type { SpentUntil } from "./firing-budget.js";

/** A value of a metric, as the details of alerts have it. */
export type Measurement = { readonly value: number; readonly measuredAt: number };

/** The level of one rule, with the revision of the rule that it was judged by. */
export interface NotedLevel {
  readonly revision: number;
  readonly since: number | null;
  /** What to fire as soon as the rule's budget allows it. Null: no alert waits. */
  readonly waiting: Measurement | null;
}

/** What the evaluator keeps about a device between two judgements. */
export interface WatchNotes {
  /** All records up to this position are judged. */
  readonly position: number;
  /** The time of measurement of the latest judged record. Older ones change nothing. 0: none was judged. */
  readonly at: number;
  /**
   * The position of the record that was measured at `at`. If a judgement ended before it had judged all records after
   * `position`, the next one continues after this record, in order of measurement.
   */
  readonly atPosition: number;
  /** The claim that the owner's rules were judged under. Null: the device had no owner. */
  readonly claimedAt: number | null;
  /** Whether the device was online when it was last judged. Null: its presence was never judged. */
  readonly online: boolean | null;
  /** By rule. */
  readonly levels: Readonly<Record<string, NotedLevel>>;
  readonly spentUntil: SpentUntil;
}

const toNumber = (value: JsonValue | undefined): number | null =>
  typeof value === "number" ? value : null;

/** Watches of earlier versions have neither alerts that wait nor budgets nor `atPosition`. */
function readLevel(level: JsonObject): NotedLevel {
  const { revision, since, waiting } = level;
  return {
    ...{ revision: toNumber(revision) ?? 0, since: toNumber(since) },
    waiting: (waiting ?? null) as Measurement | null,
  };
}

export function readNotes({ content }: AlertWatch): WatchNotes {
  const levels = Object.entries((content["levels"] ?? {}) as JsonObject).map(
    ([id, level]) => [id, readLevel(level as JsonObject)] as const,
  );
  return {
    position: toNumber(content["position"]) ?? 0,
    at: toNumber(content["at"]) ?? 0,
    atPosition: toNumber(content["atPosition"]) ?? 0,
    claimedAt: toNumber(content["claimedAt"]),
    online: typeof content["online"] === "boolean" ? content["online"] : null,
    levels: Object.fromEntries(levels),
    spentUntil: (content["spentUntil"] ?? {}) as SpentUntil,
  };
}

export const toContent = ({ levels, ...notes }: WatchNotes): JsonObject => ({
  ...notes,
  levels: Object.fromEntries(Object.entries(levels).map(([id, level]) => [id, { ...level }])),
});
