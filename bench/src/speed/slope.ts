import { quantile } from "./verdict.js";

export interface Slope {
  /** Of y for each unit of x. */
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

/** The line of least squares through points, with the 95 % interval of its slope. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): Slope {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const spreadOfX = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spreadOfX;
  const rest = points.reduce((sum, { x, y }) => sum + (y - y0 - slope * (x - x0)) ** 2, 0);
  const freedom = points.length - 2;
  const half = quantile(freedom) * Math.sqrt(rest / freedom / spreadOfX);
  return { slope, low: slope - half, high: slope + half };
}
