/** Settings that have no effect without another one. */
const needs = {
  DATABASE_CELLS: "DATABASE_URL",
  DATABASE_READ_URL: "DATABASE_URL",
  DATABASE_SYNCHRONOUS_STANDBY: "DATABASE_URL",
  TELEMETRY_SINK_TOKEN: "TELEMETRY_SINK_URL",
  TELEMETRY_SINK_METRICS: "TELEMETRY_SINK_URL",
  WEBHOOKS_OF_OWNERS: "WEBHOOKS",
} as const;

/** Settings that have no effect if a setting that is on by default is off. */
const needsDefault = {
  OPERATOR_EMAILS: "ACCOUNTS",
  OPERATORS_NEED_SECOND_FACTOR: "ACCOUNTS",
  SMTP_URL: "ACCOUNTS",
  PRESENCE_EVENTS: "ALERTS",
} as const;

/** Settings that another one replaces. */
const replacedBy = { FIRMWARE_DIR: "DATABASE_URL" } as const;

const oneTooMany = (name: string, other: string) =>
  `${name} has no effect with ${other}. Unset one of them.`;

/** Returns a sentence for each setting that has no effect beside the others. `false` counts as unset. */
export function findIneffectiveSettings(
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const isSet = (name: string) => values[name] !== undefined && values[name] !== false;
  const pairsOf = (settings: Readonly<Record<string, string>>) =>
    Object.entries(settings).filter(([name]) => isSet(name));
  return [
    ...pairsOf(needs)
      .filter(([, needed]) => !isSet(needed))
      .map(
        ([name, needed]) => `${name} has no effect without ${needed}. Set ${needed} or unset it.`,
      ),
    ...pairsOf(needsDefault)
      .filter(([, needed]) => values[needed] === false)
      .map(([name, needed]) => oneTooMany(name, `${needed}=0`)),
    ...pairsOf(replacedBy)
      .filter(([, other]) => isSet(other))
      .map(([name, other]) => oneTooMany(name, other)),
  ];
}
