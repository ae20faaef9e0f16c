import { z } from "zod";
import { limitShape } from "./limit-shape.js";

/** The limits of §9, and the lifetime of a device token (§2). A test compares these docs with the schema. */
export interface Limits {
  /** Lifetime of a device token. 300 to 604,800 seconds, default 86,400. */
  readonly tokenTtlSeconds: number;
  /**
   * Registrations and failed logins of one address. 1 to 1,000,000 requests a minute, default 120.
   */
  readonly authPerMinute: number;
  /**
   * Successful logins of one device. Twice as many are allowed at once. 1 to 1,000,000 logins a
   * minute, default 10.
   */
  readonly loginsPerMinute: number;
  /**
   * Memory-hard hashes that run at once, 32 MiB each. If this is 2 or more, one customer or address never
   * occupies all of them. 1 to 64 hashes, default 2.
   */
  readonly hashesInFlight: number;
  /**
   * Memory-hard hashes that may wait, counted separately for claims and registrations. Further
   * requests get a 503. 0 to 1,000 hashes, default 32.
   */
  readonly hashesQueued: number;
  /** Telemetry requests of one device. 1 to 1,000,000 requests a minute, default 120. */
  readonly telemetryPerMinute: number;
  /**
   * Numbers and booleans that one device may send. A record counts as at least 16, each hour after
   * the first in a request as 100, a change of the OTA status as 200. 1 to 100,000,000 metrics a
   * minute, default 60,000.
   */
  readonly metricsPerMinute: number;
  /**
   * Telemetry of one device, with 512 bytes added to each body. Half as much is allowed at once. 0:
   * unlimited. 0 to 10,000,000,000 bytes a minute, default 4,194,304.
   */
  readonly telemetryBytesPerMinute: number;
  /**
   * Telemetry of one unclaimed device, with 512 bytes added to each body. Ten times as much is
   * allowed at once. 0 removes this limit and the one for all unclaimed devices; then they may send
   * as much as others. 0 to 1,000,000,000 bytes a minute, default 65,536.
   */
  readonly unclaimedBytesPerMinute: number;
  /**
   * Telemetry of all unclaimed devices of this process, beyond the allowance of one device for each
   * client address. 0: unlimited. 0 to 1,000,000,000 bytes a minute, default 2,097,152.
   */
  readonly unclaimedTotalBytesPerMinute: number;
  /** Largest body, except telemetry and images. 1,024 to 1,048,576 bytes, default 16,384. */
  readonly bodyBytes: number;
  /** Largest telemetry body. 1,024 to 16,777,216 bytes, default 262,144. */
  readonly telemetryBodyBytes: number;
  /** Largest firmware image. 1,024 to 1,073,741,824 bytes, default 67,108,864. */
  readonly firmwareImageBytes: number;
  /**
   * Concurrent firmware downloads of one device in one process. Another one ends the oldest. 1 to
   * 100 streams, default 2.
   */
  readonly downloadsPerDevice: number;
  /**
   * Time from the complete request to the first byte of the response. A slower response is a 503. 1
   * to 300 seconds, default 10.
   */
  readonly answerTimeoutSeconds: number;
  /**
   * Age of the oldest record that is accepted. Records are kept one day longer, counted from
   * receipt. 1 to 36,500 days, default 90.
   */
  readonly telemetryRetentionDays: number;
  /**
   * Dashboard requests of one user. A history that reads many records counts as several. 1 to
   * 1,000,000 requests a minute, default 600.
   */
  readonly dashboardPerMinute: number;
  /** Wrong claims of one customer on one device. 1 to 1,000 attempts in 15 minutes, default 5. */
  readonly claimTriesPerCustomerAndDevice: number;
  /** Wrong claims of one customer. 1 to 100,000 attempts an hour, default 30. */
  readonly claimTriesPerCustomer: number;
  /**
   * Wrong claims on one device. After that, each customer still has three attempts. 1 to 100,000
   * attempts an hour, default 50.
   */
  readonly claimTriesPerDevice: number;
  /**
   * Wrong codes of one address that registers one device again. 1 to 1,000 attempts in 15 minutes,
   * default 5.
   */
  readonly registerTriesPerAddressAndDevice: number;
  /**
   * Wrong codes when one device registers again. After that, each address still has one attempt. 1
   * to 100,000 attempts an hour, default 50.
   */
  readonly registerTriesPerDevice: number;
  /**
   * Wrong codes in the whole fleet before the gateway writes a security event. Nobody is locked
   * out. 1 to 100,000 failures an hour, default 1,000.
   */
  readonly fleetFailuresPerHour: number;
  /** Age at which a registration that was never used is deleted. 1 to 3,650 days, default 7. */
  readonly unusedRegistrationDays: number;
  /** Duration of a re-enrolment window. 1 to 1,440 minutes, default 15. */
  readonly reEnrolmentMinutes: number;
  /**
   * Age at which hourly roll-ups are deleted. A roll-up is kept longer if records of its hour may
   * still be stored. 1 to 36,500 days, default 730.
   */
  readonly rollUpRetentionDays: number;
  /** Age at which OTA events are deleted. 1 to 36,500 days, default 365. */
  readonly otaEventRetentionDays: number;
  /**
   * Age at which events of the event log that are not in the audit trail are deleted. 7 to 36,500
   * days, default 30.
   */
  readonly eventRetentionDays: number;
  /**
   * An update times out if the device does not report on it for this long. 1 to 8,760 hours, default
   * 24.
   */
  readonly updateTimeoutHours: number;
  /**
   * An update times out if the device has the whole image and then sends no request at all for this long. 5 to 100,000
   * minutes, default 60.
   */
  readonly updateSilenceMinutes: number;
  /**
   * Time for which a device is not offered a release that failed on it three times. 1 to 8,760
   * hours, default 24.
   */
  readonly updateBlockHours: number;
  /**
   * Share of failed updates that a rollout tolerates. A rollout is halted when it is statistically certain that a
   * larger share fails. 1 to 50 percent, default 2.
   */
  readonly rolloutFailurePercent: number;
  /**
   * Open commands of one device: pending, or delivered and not answered. 1 to 100 commands, default
   * 20.
   */
  readonly commandsPerDevice: number;
  /**
   * Requests in one process that wait for commands, at most a quarter of them of devices without an owner.
   * At the limit, the gateway finds the owner with the most waiting requests. If the owner of the new request would
   * still have fewer, the oldest request of the first owner ends with an empty response. Otherwise the new request gets
   * an empty response immediately. 0 to 100,000 requests, default 1,000.
   */
  readonly commandWaiters: number;
  /** Age at which ended commands are deleted. 1 to 3,650 days, default 30. */
  readonly commandRetentionDays: number;
  /** Shortest claim code, without hyphens and spaces. 6 to 64 characters, default 6. */
  readonly claimCodeMinLength: number;
}

/** Parses limits: fills in defaults, and rejects unknown names and values out of range. */
export const Limits = z.strictObject(
  limitShape satisfies Readonly<Record<keyof Limits, z.ZodType<number>>>,
);
