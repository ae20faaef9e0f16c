/** A broken requirement and how to reproduce it. */
export interface Violation {
  readonly what: string;
  /** Arguments of `pnpm torture` that reproduce this case. */
  readonly replay: string;
}

/** A row of the report: what was tried, how often, the result, and the required result. */
export interface ReportLine {
  readonly what: string;
  readonly rounds: number;
  readonly result: string;
  readonly bar: string;
}

export interface Report {
  readonly name: string;
  readonly lines: readonly ReportLine[];
  readonly violations: readonly Violation[];
}

const shownViolations = 20;
const shownLength = 1_000;

/** Renders an attack's report as a table, with the violations below it. */
export function renderReport({ name, lines, violations }: Report): string {
  const rows = [
    ["what", "rounds", "result", "required"],
    ...lines.map((line) => [line.what, line.rounds.toLocaleString("en"), line.result, line.bar]),
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const shown = violations
    .slice(0, shownViolations)
    .flatMap(({ what, replay }) => [
      `VIOLATION ${what.slice(0, shownLength)}`,
      `  reproduce: pnpm torture ${replay}`,
    ]);
  const more = violations.length - shownViolations;
  return [
    `${name}: ${violations.length === 0 ? "passed" : `${violations.length} violations`}`,
    ...table,
    ...shown,
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join("\n");
}
