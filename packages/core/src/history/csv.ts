/** Begin a formula in a spreadsheet; some accept the full-width forms. */
const formulaStarts = new Set("=+-@＝＋－＠");
/** Some locales split at a semicolon, and then heed no quotes inside of a field. */
const separators = new Set(";|\t\r\n");
/** A text without any of these is never changed. */
const mayBeFormula = /[=+\-@＝＋－＠\t\r\n]/;
const isBlank = (character: string) => character === '"' || /^[\s\p{C}]$/u.test(character);

/**
 * Puts an apostrophe before each character that a spreadsheet may take for the start of a formula, and
 * before a leading tab or line break (OWASP, CSV Injection). Takes one pass, since devices choose the text.
 */
function withoutFormulas(text: string): string {
  if (!mayBeFormula.test(text) || /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text)) return text;
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

/** Writes a value as a CSV field (RFC 4180). Numbers and booleans stay as they are. */
function toCsvField(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = withoutFormulas(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const toCsvLine = (values: readonly unknown[]): string =>
  `${values.map(toCsvField).join(",")}\r\n`;
