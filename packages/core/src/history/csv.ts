const toUnits = (characters: string) =>
  new Set([...characters].map((character) => character.charCodeAt(0)));

/** Characters that start a formula in a spreadsheet. Some spreadsheets accept the full-width forms. */
const formulaStarts = toUnits("=+-@＝＋－＠");
/**
 * Characters at which a spreadsheet may split cells. In some locales it splits at semicolons and ignores quotes
 * inside a field.
 */
const separators = toUnits(";|\t\r\n");
/** Matches text that may have to be changed. */
const mayContainFormula = /[=+\-@＝＋－＠\t\r\n]/;
const blank = /^["\s\p{C}]$/u;
/** Whether a code point is blank: 1 no, 2 yes, 0 not known yet. Looking it up takes much less time than a match. */
const blanks = new Uint8Array(0x11_0000);

function isBlankAt(text: string, at: number): boolean {
  const point = text.codePointAt(at) as number;
  blanks[point] ||= blank.test(String.fromCodePoint(point)) ? 2 : 1;
  return blanks[point] === 2;
}

/**
 * Puts an apostrophe before each character that a spreadsheet may take as the start of a formula, and before a
 * leading tab or line break (OWASP, CSV Injection). It takes one pass with little work for each character, because
 * devices choose the text.
 */
function withoutFormulas(text: string): string {
  if (!mayContainFormula.test(text) || /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text)) return text;
  let safe = /^[\t\r\n]/.test(text) ? "'" : "";
  let copiedTo = 0;
  let beginsCell = true;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (separators.has(unit)) beginsCell = true;
    // The second half of a character counts as blank.
    else if (beginsCell && !isBlankAt(text, at)) {
      beginsCell = false;
      if (!formulaStarts.has(unit)) continue;
      safe += `${text.slice(copiedTo, at)}'`;
      copiedTo = at;
    }
  }
  return safe + text.slice(copiedTo);
}

/** Formats a value as a CSV field (RFC 4180). Numbers and booleans stay unchanged. */
export function toCsvField(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = withoutFormulas(value);
  return /[",;\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export const toCsvLine = (values: readonly unknown[]): string =>
  `${values.map(toCsvField).join(",")}\r\n`;
