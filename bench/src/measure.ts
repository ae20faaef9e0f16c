/** A measured quantity: one value per subject and repeat. */
export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly values: ReadonlyMap<string, readonly number[]>;
  /** Prints each subject's value as it is. Otherwise all but the first are ratios to the first. */
  readonly plain?: boolean;
}

export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
}

/** Collects values by line and subject. */
export function createLines() {
  const lines = new Map<string, Line & { readonly values: Map<string, number[]> }>();
  return {
    add(what: string, unit: string, subject: string, value: number, plain = false): void {
      const line = lines.get(what) ?? { what, unit, values: new Map<string, number[]>(), plain };
      lines.set(what, line);
      line.values.set(subject, [...(line.values.get(subject) ?? []), value]);
    },
    all: (): readonly Line[] => [...lines.values()],
  };
}

export function spread(values: readonly number[]): { median: number; min: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (n: number) => sorted[n] ?? Number.NaN;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}
