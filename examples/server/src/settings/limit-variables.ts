import { Limits } from "@device-gateway/core";

/** The variable of each of the gateway's limits. The code does not compile if a limit has none. */
export const limitVariables = {
  tokenTtlSeconds: "DG_TOKEN_TTL_SECONDS",
  authPerMinute: "DG_LIMIT_AUTH_PER_MINUTE",
  loginsPerMinute: "DG_LIMIT_LOGINS_PER_MINUTE",
  hashesInFlight: "DG_LIMIT_HASHES_IN_FLIGHT",
  hashesQueued: "DG_LIMIT_HASHES_QUEUED",
  telemetryPerMinute: "DG_LIMIT_TELEMETRY_PER_MINUTE",
  metricsPerMinute: "DG_LIMIT_METRICS_PER_MINUTE",
  telemetryBytesPerMinute: "DG_LIMIT_TELEMETRY_BYTES_PER_MINUTE",
  unclaimedBytesPerMinute: "DG_LIMIT_UNCLAIMED_BYTES_PER_MINUTE",
  unclaimedTotalBytesPerMinute: "DG_LIMIT_UNCLAIMED_TOTAL_BYTES_PER_MINUTE",
  bodyBytes: "DG_LIMIT_BODY_BYTES",
  telemetryBodyBytes: "DG_LIMIT_TELEMETRY_BODY_BYTES",
  firmwareImageBytes: "DG_LIMIT_FIRMWARE_IMAGE_BYTES",
  downloadsPerDevice: "DG_LIMIT_DOWNLOADS_PER_DEVICE",
  answerTimeoutSeconds: "DG_LIMIT_ANSWER_SECONDS",
  telemetryRetentionDays: "DG_RETENTION_TELEMETRY_DAYS",
  dashboardPerMinute: "DG_LIMIT_DASHBOARD_PER_MINUTE",
  claimTriesPerCustomerAndDevice: "DG_LIMIT_CLAIM_TRIES_PER_CUSTOMER_AND_DEVICE",
  claimTriesPerCustomer: "DG_LIMIT_CLAIM_TRIES_PER_CUSTOMER",
  claimTriesPerDevice: "DG_LIMIT_CLAIM_TRIES_PER_DEVICE",
  registerTriesPerAddressAndDevice: "DG_LIMIT_REGISTER_TRIES_PER_ADDRESS_AND_DEVICE",
  registerTriesPerDevice: "DG_LIMIT_REGISTER_TRIES_PER_DEVICE",
  fleetFailuresPerHour: "DG_LIMIT_FLEET_FAILURES_PER_HOUR",
  unusedRegistrationDays: "DG_UNUSED_REGISTRATION_DAYS",
  reEnrolmentMinutes: "DG_RE_ENROLMENT_MINUTES",
  rollUpRetentionDays: "DG_RETENTION_ROLLUP_DAYS",
  otaEventRetentionDays: "DG_RETENTION_OTA_EVENT_DAYS",
  eventRetentionDays: "DG_RETENTION_EVENT_DAYS",
  updateTimeoutHours: "DG_UPDATE_TIMEOUT_HOURS",
  updateSilenceMinutes: "DG_UPDATE_SILENCE_MINUTES",
  updateBlockHours: "DG_UPDATE_BLOCK_HOURS",
  rolloutFailurePercent: "DG_ROLLOUT_FAILURE_PERCENT",
  commandsPerDevice: "DG_LIMIT_COMMANDS_PER_DEVICE",
  commandWaiters: "DG_LIMIT_COMMAND_WAITERS",
  commandRetentionDays: "DG_RETENTION_COMMAND_DAYS",
  claimCodeMinLength: "DG_CLAIM_CODE_MIN_LENGTH",
} as const satisfies Record<keyof Limits, `DG_${string}`>;

type LimitVariables = typeof limitVariables;
type LimitShape = {
  [Field in keyof LimitVariables as LimitVariables[Field]]: (typeof Limits.shape)[Field];
};
type LimitSettings = { readonly [Field in keyof Limits as LimitVariables[Field]]: Limits[Field] };

const entries = Object.entries(limitVariables) as [keyof Limits, string][];

/** The limits' schemas by variable. Core defines range, unit, default and meaning. */
export const limitShape = Object.fromEntries(
  entries.map(([field, variable]) => [variable, Limits.shape[field]]),
) as LimitShape;

/** Returns the gateway's limits from the settings. */
export function toLimits(settings: LimitSettings): Limits {
  const values = settings as Record<string, number>;
  return Limits.parse(
    Object.fromEntries(entries.map(([field, variable]) => [field, values[variable]])),
  );
}
