import { type Line, spread } from "../measure.js";

const percent = (share: number) =>
  share < 2 ? `${(share * 100).toFixed(1)} %` : `x${share.toFixed(1)}`;

/** Describes a subject's share of a reference, round by round, and whether it reaches the goal. */
export function shareOf(
  lines: readonly Line[],
  what: string,
  subject: string,
  reference: string,
  goal: number,
  stretch?: number,
): string {
  const values = lines.find((line) => line.what === what)?.values;
  const own = values?.get(subject) ?? [];
  const other = values?.get(reference) ?? [];
  const { median, min, max } = spread(own.map((value, n) => value / (other[n] ?? Number.NaN)));
  const reached = stretch !== undefined && median >= stretch ? "stretch reached" : "reached";
  const verdict = median >= goal ? reached : "missed";
  const wanted = stretch === undefined ? percent(goal) : `${percent(goal)} (${percent(stretch)})`;
  return `${what}, ${subject} against ${reference}: ${percent(median)} (${percent(min)}–${percent(max)}); goal ${wanted}: ${verdict}.`;
}

/** Describes how many times as much a subject takes as a reference, round by round. */
export function timesAsMuch(
  lines: readonly Line[],
  what: string,
  subject: string,
  reference: string,
  limit: number,
): string {
  const values = lines.find((line) => line.what === what)?.values;
  const other = values?.get(reference) ?? [];
  const times = (values?.get(subject) ?? []).map((value, n) => value / (other[n] ?? Number.NaN));
  const { median, min, max } = spread(times);
  const verdict = median <= limit ? "reached" : "missed";
  const format = (value: number) => `x${value.toFixed(limit < 2 ? 2 : 1)}`;
  return `${what}, ${subject} against ${reference}: ${format(median)} (${format(min)}–${format(max)}); goal at most x${limit}: ${verdict}.`;
}

/** At a lower share of the offered load, the other figures are not those of that load. */
const leastArrivedShare = 0.95;

/** Returns a warning for each subject at which less than 95 % of the offered load arrived, in the median of the rounds. */
export function missingLoadNotes(
  lines: readonly Line[],
  what: string,
  perSecond: number,
): readonly string[] {
  const arrived = [...(lines.find((line) => line.what === what)?.values ?? [])];
  return arrived
    .map(([name, rates]) => ({ name, median: spread(rates).median }))
    .filter(({ median }) => median < perSecond * leastArrivedShare)
    .map(
      ({ name, median }) =>
        `${name}: did not keep up with the load: ${Math.round(median)} of ${Math.round(perSecond)} a second arrived.`,
    );
}

/** Student's t for 95 %, two-sided, by degrees of freedom from 1. */
const quantiles = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
export const quantile = (freedom: number) => quantiles[freedom - 1] ?? (freedom < 20 ? 2.2 : 2.09);

/** Returns the mean ratio of pairs with its 95 % interval, from their logarithms. */
function pairedRatio(values: readonly number[], reference: readonly number[]) {
  const logs = values.map((value, n) => Math.log(value / (reference[n] ?? Number.NaN)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const half = quantile(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** Describes a subject's share of a reference, pair by pair, with the interval of the mean. */
export function pairedNote(
  lines: readonly Line[],
  what: string,
  subject: string,
  reference: string,
  goal: string,
): string {
  const values = lines.find((line) => line.what === what)?.values;
  const own = values?.get(subject) ?? [];
  const { ratio, low, high } = pairedRatio(own, values?.get(reference) ?? []);
  return `${what}, ${subject} against ${reference}: ${percent(ratio)}, 95 % interval ${percent(low)} to ${percent(high)} (${own.length} pairs); ${goal}.`;
}
