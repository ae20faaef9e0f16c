import { expect, test } from "vitest";
import { Limits } from "./limits.js";

test("§9 the limits' defaults are the contract's", () => {
  expect(Limits.parse({})).toEqual({
    tokenTtlSeconds: 24 * 3600,
    authPerMinute: 120,
    telemetryPerMinute: 120,
    metricsPerMinute: 60_000,
    unclaimedBytesPerMinute: 64 * 1024,
    unclaimedTotalBytesPerMinute: 2 * 1024 * 1024,
    dashboardPerMinute: 600,
    bodyBytes: 16 * 1024,
    telemetryBodyBytes: 256 * 1024,
    firmwareImageBytes: 64 * 1024 * 1024,
    downloadsPerDevice: 2,
    loginsPerMinute: 10,
    hashesInFlight: 2,
    hashesQueued: 32,
    answerTimeoutSeconds: 10,
    telemetryRetentionDays: 90,
    rollUpRetentionDays: 730,
    otaEventRetentionDays: 365,
    claimTriesPerCustomerAndDevice: 5,
    claimTriesPerCustomer: 30,
    claimTriesPerDevice: 50,
    registerTriesPerAddressAndDevice: 5,
    registerTriesPerDevice: 50,
    fleetFailuresPerHour: 1_000,
    unusedRegistrationDays: 7,
    reEnrolmentMinutes: 15,
    updateTimeoutHours: 24,
    updateSilenceMinutes: 60,
    updateBlockHours: 24,
    rolloutFailurePercent: 2,
    claimCodeMinLength: 6,
  });
});
