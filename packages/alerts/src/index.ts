export type { AlertChannel, AlertMessage } from "./alert-channel.js";
export { describeNotification, type NotificationText } from "./describe-notification.js";
export type { Round } from "./evaluator.js";
export {
  type AlertLevels,
  type AlertOptions,
  type Alerts,
  createAlerts,
  type RunningAlerts,
  startAlerts,
} from "./start-alerts.js";
