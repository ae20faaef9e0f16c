/** How well a measurement separates two classes, with DeLong's bound. */
export interface Separation {
  /** From 0.5 (not at all) to 1 (always), whichever class is slower. */
  readonly auc: number;
  /** One-sided upper 95 % bound. */
  readonly upper: number;
}

const oneSided95 = 1.645;

/** Computes mid-ranks: equal numbers get the mean of their ranks. */
function midRanks(values: readonly number[]): Float64Array {
  const order = values.map((_, place) => place).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end++;
    for (let place = start; place < end; place++) ranks[order[place] ?? 0] = (start + end + 1) / 2;
    start = end;
  }
  return ranks;
}

function variance(numbers: readonly number[]): number {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (numbers.length - 1);
}

/** Computes the area under the ROC curve of "it took longer, so it is the second class" (DeLong 1988). */
export function separationOf(first: readonly number[], second: readonly number[]): Separation {
  const [m, n] = [second.length, first.length];
  const all = midRanks([...second, ...first]);
  const ownSecond = midRanks(second);
  const ownFirst = midRanks(first);
  // The share of the other class that each measurement is above (second class) or below (first class).
  const above = second.map((_, i) => ((all[i] ?? 0) - (ownSecond[i] ?? 0)) / n);
  const below = first.map((_, j) => 1 - ((all[m + j] ?? 0) - (ownFirst[j] ?? 0)) / m);
  const auc = above.reduce((sum, share) => sum + share, 0) / m;
  const error = Math.sqrt(variance(above) / m + variance(below) / n);
  const folded = Math.max(auc, 1 - auc);
  return { auc: folded, upper: folded + oneSided95 * error };
}
