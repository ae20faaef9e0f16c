import type { AppendVerdict } from "./telemetry-store.js";

const letters = { stored: "s", duplicate: "d" } as const satisfies Record<AppendVerdict, string>;

/**
 * Serialises verdicts, one character each, to be stored with an idempotency key.
 *
 * @example
 * unpackVerdicts(packVerdicts(["stored", "duplicate"])); // ["stored", "duplicate"]
 */
export const packVerdicts = (verdicts: readonly AppendVerdict[]): string =>
  verdicts.map((verdict) => letters[verdict]).join("");

/**
 * Parses the text that `packVerdicts` returned, or the JSON array of earlier versions.
 *
 * @example
 * const verdicts = unpackVerdicts(row.verdicts);
 */
export function unpackVerdicts(packed: string): AppendVerdict[] {
  if (packed.startsWith("[")) return JSON.parse(packed) as AppendVerdict[];
  return Array.from(packed, (letter) => (letter === letters.stored ? "stored" : "duplicate"));
}
