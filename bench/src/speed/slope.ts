import { quantile } from "./verdict.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  /** Change of y per unit of x. */
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the means over whole stretches of x, for `slopeOf`. Correlated measurements are no additional evidence and
 * would make the interval too narrow. An incomplete last stretch is left out.
 */
export function meansOf(points: readonly Point[], stretch: number): readonly Point[] {
  const start = points[0]?.x ?? 0;
  const end = points.at(-1)?.x ?? 0;
  return Array.from({ length: Math.floor((end - start) / stretch) }, (_, n) => {
    const own = points.filter(({ x }) => Math.floor((x - start) / stretch) === n);
    return { x: mean(own.map(({ x }) => x)), y: mean(own.map(({ y }) => y)) };
  });
}

/** Fits a line of least squares through three or more independent points. Returns its slope with the 95 % interval. */
export function slopeOf(points: readonly Point[]): Slope {
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const spreadOfX = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spreadOfX;
  const rest = points.reduce((sum, { x, y }) => sum + (y - y0 - slope * (x - x0)) ** 2, 0);
  const freedom = points.length - 2;
  const half = quantile(freedom) * Math.sqrt(rest / freedom / spreadOfX);
  return { slope, low: slope - half, high: slope + half };
}
