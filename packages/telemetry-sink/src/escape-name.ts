/** What ends a name or begins another part of a line. Line protocol escapes it with a backslash. */
const special = /[,= ]/g;
/** Line protocol has no escape for these in names. */
const control = /\p{Cc}/gu;
/** A backslash here would be read as an escape, and line protocol cannot escape a backslash. */
const misread = /\\(?=[,= ]|$)/g;
/** The keys of the tags of each line. */
export const tagKeys = { deviceId: "deviceId", hardware: "hardware" } as const;
/** InfluxDB drops a field named `time`. In a query, it prefers a field to a tag of the same name. */
const reservedKeys: ReadonlySet<string> = new Set(["time", ...Object.values(tagKeys)]);

/**
 * Escapes a tag value as the line protocol reference says. A control character becomes `_`. A backslash before a comma,
 * an equals sign or a space, and one at the end, becomes `/`.
 */
export const escapeTagValue = (text: string): string =>
  text.replace(control, "_").replace(misread, "/").replace(special, "\\$&");

/**
 * Escapes a field key like a tag value. The empty key becomes `_`. The key `time` and the keys of the tags get a `_` at
 * the end.
 */
export function escapeFieldKey(key: string): string {
  if (reservedKeys.has(key)) return `${key}_`;
  return key === "" ? "_" : escapeTagValue(key);
}

/** Escapes the name of a measurement, in which an equals sign is an ordinary character. */
export const escapeMeasurement = (name: string): string => name.replace(/[, ]/g, "\\$&");
