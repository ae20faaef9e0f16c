import type { AlertNotification, JsonValue } from "@device-gateway/core/store";

/** A notification in plain text. */
export interface NotificationText {
  readonly subject: string;
  readonly text: string;
}

const verbs = { firing: "is firing", cleared: "has cleared", reminder: "is still firing" } as const;

const toTime = (at: JsonValue | undefined): string =>
  typeof at === "number" && at > 0 ? new Date(at).toISOString() : "never";

function sentenceOf({ kind, details, deviceId }: AlertNotification): string {
  const { condition, metric, threshold, value, measuredAt, version, result } = details;
  const what = deviceId === "" ? "" : `Device ${deviceId}: `;
  switch (condition) {
    case "above":
    case "below":
      return `${what}${String(metric)} was ${String(value)} at ${toTime(measuredAt)} (the alert fires ${condition} ${String(threshold)}).`;
    case "update_failed":
      return `${what}the update to ${String(version)} ended with the state ${String(result)}.`;
    case "rollout_halted":
      return `The rollout of ${String(version)} ${kind === "cleared" ? "continues or has ended" : "was halted"}.`;
    case "silent":
      if ("silentDevices" in details) {
        return `${String(details["silentDevices"])} of ${String(details["watchedDevices"])} devices are silent. No other alerts about silence are sent until this alert clears.`;
      }
      return `${what}the latest telemetry was received at ${toTime(details["lastTelemetryAt"])}.`;
    default:
      return what;
  }
}

/**
 * Describes a notification in English.
 *
 * @example
 * const { subject, text } = describeNotification(message.notifications[0]);
 */
export function describeNotification(notification: AlertNotification): NotificationText {
  const { kind, details, deviceId } = notification;
  const name = typeof details["name"] === "string" ? details["name"] : "Alert";
  const where = deviceId === "" ? "" : ` (${deviceId})`;
  return { subject: `${name}${where} ${verbs[kind]}`, text: sentenceOf(notification) };
}
