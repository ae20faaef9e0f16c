import type { AppendVerdict } from "./telemetry-store.js";

const letters = { stored: "s", duplicate: "d" } as const satisfies Record<AppendVerdict, string>;

/** Writes verdicts as one character each, to be stored with an idempotency key. */
export const packVerdicts = (verdicts: readonly AppendVerdict[]): string =>
  verdicts.map((verdict) => letters[verdict]).join("");

/** Reads what `packVerdicts` wrote. Earlier versions wrote a JSON array, which is read as well. */
export function unpackVerdicts(packed: string): AppendVerdict[] {
  if (packed.startsWith("[")) return JSON.parse(packed) as AppendVerdict[];
  return Array.from(packed, (letter) => (letter === letters.stored ? "stored" : "duplicate"));
}
