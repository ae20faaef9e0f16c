import type { AlertCondition } from "@device-gateway/core/store";

export type LevelCondition = Extract<AlertCondition, { readonly kind: "above" | "below" }>;

/** What is known about a metric's level. */
export interface LevelState {
  readonly firing: boolean;
  /** Since when the metric is beyond the threshold while no alert fires, in measured time. Null: it is not. */
  readonly since: number | null;
}

/**
 * Returns the state after another value of the metric. Call it in order of measurement. The alert fires if all values
 * since `holdSeconds` ago were beyond the threshold, and clears if one reaches the clearing value.
 *
 * @example
 * const rule = { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 } as const;
 * nextLevel(rule, { firing: false, since: null }, 0, 19).firing; // true
 */
export function nextLevel(
  { kind, threshold, clearAt, holdSeconds }: LevelCondition,
  { firing, since }: LevelState,
  at: number,
  value: number,
): LevelState {
  const sign = kind === "above" ? 1 : -1;
  if (firing) return { firing: sign * value > sign * clearAt, since: null };
  if (sign * value <= sign * threshold) return { firing: false, since: null };
  const from = since ?? at;
  return at - from >= holdSeconds * 1_000
    ? { firing: true, since: null }
    : { firing: false, since: from };
}
