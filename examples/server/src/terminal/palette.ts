/** Adds terminal styles to text. A palette without colours returns the text unchanged, for files and pipes. */
export interface Palette {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

/** Returns whether a stream is a terminal that shows colours, and NO_COLOR is not set (no-color.org). */
export function showsColour(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}

export function createPalette(coloured: boolean): Palette {
  const paint = (on: number, off: number) => (text: string) =>
    coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    accent: paint(36, 39),
    good: paint(32, 39),
    bad: paint(31, 39),
  };
}
