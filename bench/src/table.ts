import { type Line, type Section, spread } from "./measure.js";

const toShort = (value: number): string => {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(value >= 10 ? 3 : 2);
};

/** `x2.1 (1.9–2.4)`: the median, minimum and maximum of the repeats' ratios. */
function ratios(values: readonly number[], reference: readonly number[]): string {
  const { median, min, max } = spread(
    values.map((value, n) => value / (reference[n] ?? reference[0] ?? Number.NaN)),
  );
  return values.length === 1
    ? `x${toShort(median)}`
    : `x${toShort(median)} (${toShort(min)}–${toShort(max)})`;
}

/** `9,300 (8,900–9,600)`: median, minimum and maximum. */
function absolute(values: readonly number[]): string {
  const { median, min, max } = spread(values);
  return values.length === 1
    ? toShort(median)
    : `${toShort(median)} (${toShort(min)}–${toShort(max)})`;
}

/** The first subject's value is absolute, the others are ratios to it. */
function row({ what, unit, values, plain = false }: Line, subjects: readonly string[]): string[] {
  const [first = []] = values.values();
  const referenceName = [...values.keys()][0];
  const cells = subjects.map((subject) => {
    const own = values.get(subject);
    if (own === undefined) return "–";
    if (plain) return absolute(own);
    return subject === referenceName ? toShort(spread(own).median) : ratios(own, first);
  });
  return [what, unit, ...cells];
}

function layOut(rows: readonly (readonly string[])[], markdown: boolean): string {
  if (markdown) {
    const [head = [], ...rest] = rows;
    return [head, head.map(() => "---"), ...rest]
      .map((cells) => `| ${cells.join(" | ")} |`)
      .join("\n");
  }
  const widths = (rows[0] ?? []).map((_, n) =>
    Math.max(...rows.map((cells) => (cells[n] ?? "").length)),
  );
  return rows
    .map((cells) =>
      cells
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function renderSection({ title, lines, notes }: Section, markdown: boolean): string {
  const subjects = [...new Set(lines.flatMap(({ values }) => [...values.keys()]))];
  const rows = [["", "unit", ...subjects], ...lines.map((line) => row(line, subjects))];
  const heading = markdown ? `### ${title}\n` : `${title}`;
  return [
    heading,
    layOut(rows, markdown),
    ...notes.map((note) => (markdown ? `\n${note}` : note)),
  ].join("\n");
}
