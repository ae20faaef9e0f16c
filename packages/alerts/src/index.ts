export type { AlertChannel, AlertMessage } from "./delivery/alert-channel.js";
export { describeNotification, type NotificationText } from "./delivery/describe-notification.js";
export type { Round } from "./evaluator.js";
export {
  type AlertLevels,
  type AlertOptions,
  type Alerts,
  createAlerts,
  type RunningAlerts,
  startAlerts,
} from "./start-alerts.js";
