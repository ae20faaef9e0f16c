/** Returns the epoch milliseconds of a time in ISO 8601 with a time zone. Undefined if the text is none. */
export function parseTime(text: string): number | undefined {
  const time = Date.parse(text);
  const isWhole = /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/.test(text);
  return isWhole && !Number.isNaN(time) ? time : undefined;
}
