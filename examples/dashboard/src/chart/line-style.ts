const colourCount = 8;
const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/** The most lines of one chart that differ in colour or dashes. */
export const maxLines: number = colourCount * dashes.length;

/** Returns the custom property with the colour of a chart's line. */
export const lineToken = (line: number): string => `--chart-line-${(line % colourCount) + 1}`;

/** Returns the dashes of a chart's line, in pixels. Lines of one colour differ in their dashes. */
export const lineDash = (line: number): number[] => [
  ...(dashes[Math.floor(line / colourCount) % dashes.length] ?? []),
];
