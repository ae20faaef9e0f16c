import type { AlertWatch, JsonObject, JsonValue } from "@device-gateway/core/store";

/** The level of one rule, with the revision of the rule that it was judged by. */
export interface NotedLevel {
  readonly revision: number;
  readonly since: number | null;
}

/** What the evaluator keeps about a device between two judgements. */
export interface WatchNotes {
  /** All records up to this position are judged. */
  readonly position: number;
  /** The time of measurement of the latest judged record. Older ones change nothing. 0: none was judged. */
  readonly at: number;
  /** The claim that the owner's rules were judged under. Null: the device had no owner. */
  readonly claimedAt: number | null;
  /** Whether the device was online when it was last judged. Null: its presence was never judged. */
  readonly online: boolean | null;
  /** By rule. */
  readonly levels: Readonly<Record<string, NotedLevel>>;
}

const toNumber = (value: JsonValue | undefined): number | null =>
  typeof value === "number" ? value : null;

export function readNotes({ content }: AlertWatch): WatchNotes {
  const levels = Object.entries((content["levels"] ?? {}) as JsonObject).map(([id, level]) => {
    const { revision, since } = level as JsonObject;
    return [id, { revision: toNumber(revision) ?? 0, since: toNumber(since) }] as const;
  });
  return {
    position: toNumber(content["position"]) ?? 0,
    at: toNumber(content["at"]) ?? 0,
    claimedAt: toNumber(content["claimedAt"]),
    online: typeof content["online"] === "boolean" ? content["online"] : null,
    levels: Object.fromEntries(levels),
  };
}

export const toContent = ({ levels, ...notes }: WatchNotes): JsonObject => ({
  ...notes,
  levels: Object.fromEntries(Object.entries(levels).map(([id, level]) => [id, { ...level }])),
});
