import { Settings } from "./settings.js";

/** Settings that have no effect without another one. */
const needs = {
  DATABASE_CELLS: "DATABASE_URL",
  DATABASE_POOL_SIZE: "DATABASE_URL",
  DATABASE_READ_LAG_SECONDS: "DATABASE_READ_URL",
  DATABASE_READ_URL: "DATABASE_URL",
  DATABASE_SYNCHRONOUS_STANDBY: "DATABASE_URL",
  TELEMETRY_SINK_TOKEN: "TELEMETRY_SINK_URL",
  TELEMETRY_SINK_METRICS: "TELEMETRY_SINK_URL",
  WEBHOOKS_OF_OWNERS: "WEBHOOKS",
} as const;

/** Settings of a part that exists only with another one. */
const detailOf = { MAIL_FROM: "SMTP_URL", METRICS_HOST: "METRICS_PORT" } as const;

/** Settings of a part that another setting switches off. The part is on by default. */
const partOf = {
  ALERT_FLEET_SILENCE_PERCENT: "ALERTS",
  OPERATOR_EMAILS: "ACCOUNTS",
  OPERATORS_NEED_SECOND_FACTOR: "ACCOUNTS",
  SMTP_URL: "ACCOUNTS",
  PRESENCE_EVENTS: "ALERTS",
} as const;

/** Settings that another one replaces. */
const replacedBy = { FIRMWARE_DIR: "DATABASE_URL" } as const;

type Values = Readonly<Record<string, unknown>>;

const defaults: Values = Settings.parse({});

/** The default counts as unset. */
const isSet = (values: Values, name: string) =>
  values[name] !== undefined && values[name] !== defaults[name];

const pairsOf = (values: Values, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).filter(([name]) => isSet(values, name));

/** Returns a sentence for each setting that lacks the one it needs, or that another one replaces. */
export function findIneffectiveSettings(values: Values): readonly string[] {
  return [
    ...pairsOf(values, needs)
      .filter(([, needed]) => !isSet(values, needed))
      .map(
        ([name, needed]) => `${name} has no effect without ${needed}. Set ${needed} or unset it.`,
      ),
    ...pairsOf(values, replacedBy)
      .filter(([, other]) => isSet(values, other))
      .map(([name, other]) => `${name} has no effect with ${other}. Unset one of them.`),
  ];
}

/**
 * Returns a warning for each setting of a part that is switched off or not set up. The server starts nevertheless:
 * several servers may share their settings, and an operator may switch a part off for a while.
 */
export const findSettingsOfDisabledParts = (values: Values): readonly string[] => [
  ...pairsOf(values, partOf)
    .filter(([, part]) => values[part] === false)
    .map(([name, part]) => `${name} has no effect with ${part}=0.`),
  ...pairsOf(values, detailOf)
    .filter(([, part]) => !isSet(values, part))
    .map(([name, part]) => `${name} has no effect without ${part}.`),
];
