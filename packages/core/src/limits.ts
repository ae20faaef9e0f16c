import { z } from "zod";

const whole = (min: number, max: number, fallback: number, unit: string, description: string) =>
  z.int().min(min).max(max).default(fallback).meta({ unit, description });

/** The limits of contract §9 (and the token's lifetime, §2), each with its range and default. */
export const Limits = z.strictObject({
  tokenTtlSeconds: whole(300, 604_800, 86_400, "seconds", "Lifetime of a device token."),
  authPerMinute: whole(
    1,
    1_000_000,
    120,
    "requests a minute",
    "Registrations and failed logins of one address.",
  ),
  telemetryPerMinute: whole(
    1,
    1_000_000,
    120,
    "requests a minute",
    "Telemetry requests of one device.",
  ),
  metricsPerMinute: whole(
    1,
    100_000_000,
    60_000,
    "metrics a minute",
    "Numbers and booleans that one device may send.",
  ),
  bodyBytes: whole(1_024, 1_048_576, 16_384, "bytes", "Largest body, telemetry apart."),
  telemetryBodyBytes: whole(1_024, 16_777_216, 262_144, "bytes", "Largest telemetry body."),
  firmwareImageBytes: whole(1_024, 1_073_741_824, 67_108_864, "bytes", "Largest firmware image."),
  answerTimeoutSeconds: whole(
    1,
    300,
    10,
    "seconds",
    "Time until the first byte of an answer, once the body is there; then 503.",
  ),
  telemetryRetentionDays: whole(
    1,
    36_500,
    90,
    "days",
    "Records measured longer ago are not accepted; they are kept so long, and a day, from receipt.",
  ),
  dashboardPerMinute: whole(
    1,
    1_000_000,
    600,
    "requests a minute",
    "Dashboard requests of one user.",
  ),
  claimTriesPerCustomerAndDevice: whole(
    1,
    1_000,
    5,
    "tries in 15 minutes",
    "Wrong claims of a customer on one device.",
  ),
  claimTriesPerCustomer: whole(1, 100_000, 30, "tries an hour", "Wrong claims of a customer."),
  claimTriesPerDevice: whole(
    1,
    100_000,
    50,
    "tries an hour",
    "Wrong claims on a device; beyond them each customer still has three.",
  ),
  registerTriesPerAddressAndDevice: whole(
    1,
    1_000,
    5,
    "tries in 15 minutes",
    "Wrong codes of an address that registers a device again.",
  ),
  registerTriesPerDevice: whole(
    1,
    100_000,
    50,
    "tries an hour",
    "Wrong codes at registering a device again; beyond them each address still has one.",
  ),
  fleetFailuresPerHour: whole(
    1,
    100_000,
    1_000,
    "failures an hour",
    "Wrong codes in the whole fleet that write a security event. Nobody is locked out.",
  ),
  unusedRegistrationDays: whole(
    1,
    3_650,
    7,
    "days",
    "A registration that was never used is dropped after them.",
  ),
  reEnrolmentMinutes: whole(1, 1_440, 15, "minutes", "How long a re-enrolment window is open."),
  rollUpRetentionDays: whole(1, 36_500, 730, "days", "How long hourly roll-ups are kept."),
  otaEventRetentionDays: whole(1, 36_500, 365, "days", "How long OTA events are kept."),
  updateTimeoutHours: whole(
    1,
    8_760,
    24,
    "hours",
    "An update that began and of which nothing is heard for so long has failed.",
  ),
  updateBlockHours: whole(
    1,
    8_760,
    24,
    "hours",
    "How long a device is not offered a release that failed on it three times.",
  ),
  rolloutFailurePercent: whole(
    1,
    50,
    2,
    "percent",
    "Failed updates that a rollout tolerates; one that fails more often beyond doubt halts itself.",
  ),
  claimCodeMinLength: whole(
    6,
    64,
    6,
    "characters",
    "Shortest claim code, hyphens and spaces not counted.",
  ),
});
export type Limits = z.output<typeof Limits>;
