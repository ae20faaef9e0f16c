/**
 * Writes a value as a CSV field (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe in front (OWASP, CSV injection).
 */
function toCsvField(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const toCsvLine = (values: readonly unknown[]): string =>
  `${values.map(toCsvField).join(",")}\r\n`;
