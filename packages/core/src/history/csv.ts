/** Characters that start a formula in a spreadsheet. Some spreadsheets accept the full-width forms. */
const formulaStarts = new Set("=+-@＝＋－＠");
/**
 * Characters at which a spreadsheet may split cells. In some locales it splits at semicolons and ignores quotes
 * inside a field.
 */
const separators = new Set(";|\t\r\n");
/** Matches text that may have to be changed. */
const mayContainFormula = /[=+\-@＝＋－＠\t\r\n]/;
const isBlank = (character: string) => character === '"' || /^[\s\p{C}]$/u.test(character);

/**
 * Puts an apostrophe before each character that a spreadsheet may take as the start of a formula, and before a
 * leading tab or line break (OWASP, CSV Injection). It takes one pass, because devices choose the text.
 */
function withoutFormulas(text: string): string {
  if (!mayContainFormula.test(text) || /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text)) return text;
  let safe = /^[\t\r\n]/.test(text) ? "'" : "";
  let beginsCell = true;
  for (const character of text) {
    if (separators.has(character)) beginsCell = true;
    else if (beginsCell && !isBlank(character)) {
      if (formulaStarts.has(character)) safe += "'";
      beginsCell = false;
    }
    safe += character;
  }
  return safe;
}

/** Formats a value as a CSV field (RFC 4180). Numbers and booleans stay unchanged. */
export function toCsvField(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = withoutFormulas(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const toCsvLine = (values: readonly unknown[]): string =>
  `${values.map(toCsvField).join(",")}\r\n`;
