/** Settings that have no effect without another one. */
const companions = {
  DATABASE_CELLS: "DATABASE_URL",
  DATABASE_READ_URL: "DATABASE_URL",
  DATABASE_SYNCHRONOUS_STANDBY: "DATABASE_URL",
  TELEMETRY_SINK_TOKEN: "TELEMETRY_SINK_URL",
  TELEMETRY_SINK_METRICS: "TELEMETRY_SINK_URL",
} as const;

/** Returns a sentence for each setting that is set without the one that it needs. `false` counts as unset. */
export function findMissingCompanions(isSet: (name: string) => boolean): readonly string[] {
  return Object.entries(companions)
    .filter(([name, needed]) => isSet(name) && !isSet(needed))
    .map(([name, needed]) => `${name} has no effect without ${needed}. Set ${needed} or unset it.`);
}
