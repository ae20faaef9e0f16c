/** What was measured: for each subject a value a repeat. */
export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly values: ReadonlyMap<string, readonly number[]>;
  /** Each subject's value stands for itself; otherwise only the first one's does. */
  readonly plain?: boolean;
}

export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
}

/** Gathers values by line and subject. */
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

/** Milliseconds that work took, by the wall clock. */
export function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Microseconds of this process's CPU that work took. */
export function cpuOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Visits all subjects each repeat, each time beginning with another one. */
export function interleave<Subject>(
  repeats: number,
  subjects: readonly Subject[],
  visit: (subject: Subject, repeat: number) => void,
): void {
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (let n = 0; n < subjects.length; n++) {
      visit(subjects[(n + repeat) % subjects.length] as Subject, repeat);
    }
  }
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
