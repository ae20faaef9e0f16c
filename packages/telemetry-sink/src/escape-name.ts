/** What ends a name or begins another part of a line. Line protocol escapes it with a backslash. */
const special = /[,= ]/g;
/** Line protocol has no escape for these in names. */
const control = /\p{Cc}/gu;
/** A backslash here would be read as an escape, and line protocol cannot escape a backslash. */
const misread = /\\(?=[,= ]|$)/g;
/** InfluxDB drops a field of this name. */
const droppedName = "time";

/**
 * Escapes a tag value as the line protocol reference says. A control character becomes `_`. A backslash before a comma,
 * an equals sign or a space, and one at the end, becomes `/`.
 */
export const escapeTagValue = (text: string): string =>
  text.replace(control, "_").replace(misread, "/").replace(special, "\\$&");

/** Escapes a field key like a tag value. The empty key becomes `_` and the key `time` becomes `time_`. */
export function escapeFieldKey(key: string): string {
  if (key === droppedName) return `${droppedName}_`;
  return key === "" ? "_" : escapeTagValue(key);
}

/** Escapes the name of a measurement, in which an equals sign is an ordinary character. */
export const escapeMeasurement = (name: string): string => name.replace(/[, ]/g, "\\$&");
