import { counted } from "./plural.js";

export const title = "Alerts";
export const hint = "A rule watches devices. While its condition holds, an alert fires.";
export const hintMail = "The server sends you an e-mail about it.";

export const whose = "Whose rules";
export const ofFleet = "The fleet's";
export const ofMine = "My own";

export const firing = "Firing";
export const history = "History";
export const historyHint = "Cleared alerts are kept for a year.";
export const showHistory = "Show cleared alerts";
export const hideHistory = "Only firing alerts";
export const showMore = "Show more";
export const nothingFires = "No alert is firing";
export const nothingFiresHint = "While the condition of a rule holds, its alert is listed here.";
export const noAlertsYet = "No alerts yet";
export const noAlertsYetHint = "No rule's condition has been met so far.";

export const fired = (at: string) => `fired ${at}`;
export const cleared = (at: string) => `cleared ${at}`;
export const acknowledged = (at: string) => `acknowledged ${at}`;
export const mutedUntil = (at: string) => `muted until ${at}`;
export const valueWas = (value: string) => `The value was ${value}.`;
export const stateFiring = "firing";
export const stateCleared = "cleared";
export const release = (id: number) => `Release ${id}`;
export const wholeFleet = "many devices at once";

export const acknowledge = "Acknowledge";
export const acknowledgeNamed = (rule: string, device: string) => `Acknowledge ${rule}, ${device}`;
export const acknowledgedToast = "Acknowledged. The server sends no more reminders.";
export const mute = "Mute";
export const muteNamed = (rule: string) => `Mute ${rule}`;
export const unmute = "Unmute";
export const unmuteNamed = (rule: string) => `Unmute ${rule}`;
export const muteTitle = (rule: string) => `Mute “${rule}”?`;
export const muteAlertHint =
  "No e-mails about this device until then. The alert stays in the list.";
export const muteRuleHint = "No e-mails about this rule until then. Its alerts stay in the list.";
export const muteFor = "How long";
export const hour = "1 hour";
export const day = "1 day";
export const week = "1 week";
export const mutedToast = (until: string) => `Muted until ${until}.`;
export const unmutedToast = "No longer muted.";

export const rules = "Rules";
export const newRule = "New rule";
export const noRulesYet = "No rules yet";
export const noRulesHint =
  "Create a rule to get an e-mail when a gateway is silent, a value is too high or too low, or an update fails.";
export const noOperatorRulesHint =
  "Create a rule to tell all operators when a gateway is silent, a value is too high or too low, an update fails, or a rollout halts.";
export const createFirstRule = "Create the first rule";
export const notEvaluated =
  "This server does not evaluate rules, so no alert fires. Start it with ALERTS=1.";
export const evaluatedLongAgo = (at: string) =>
  `Rules were last evaluated on ${at}. No alert fires until the server evaluates them again.`;

export const edit = "Edit";
export const editNamed = (rule: string) => `Edit ${rule}`;
export const remove = "Delete";
export const removeNamed = (rule: string) => `Delete ${rule}`;
export const removeTitle = (rule: string) => `Delete “${rule}”?`;
export const removeHint = "This deletes the rule with its alerts, including those in the history.";
export const removeRule = "Delete rule";
export const removedToast = "Rule deleted.";

export const createTitle = "New alert rule";
export const editTitle = "Change alert rule";
export const create = "Create rule";
export const save = "Save rule";
export const cancel = "Cancel";
export const createdToast = "Rule created.";
export const savedToast = "Rule saved.";

export const condition = "Fires when";
export const kinds = {
  silent: "a gateway is silent",
  above: "a value is too high",
  below: "a value is too low",
  update_failed: "an update fails",
  rollout_halted: "a rollout halts",
};
/** The names of new rules. */
export const defaultNames = {
  silent: "Gateway silent",
  above: "Value too high",
  below: "Value too low",
  update_failed: "Update failed",
  rollout_halted: "Rollout halted",
};
export const name = "Name";
export const nameHint = "The subject of the e-mails.";
export const intervals = "Intervals without a record";
export const intervalsHint =
  "2 to 10,000 of the gateway's intervals. The alert fires two minutes after that.";
export const metric = "Metric";
export const metricOption = (shown: string, metric: string) => `${shown} · ${metric}`;
export const otherMetric = "another metric…";
export const metricName = "Name of the metric";
export const labelWithUnit = (label: string, unit: string) => `${label} (${unit})`;
export const metricHint = "As the gateway sends it, such as bms.voltage.";
export const above = "Fires above";
export const below = "Fires below";
export const clearAt = "Clears at";
export const clearAtHint = "If empty, it clears at the same value.";
export const holdSeconds = "How long it must last (seconds)";
export const holdSecondsHint =
  "0 to 604,800, by the times of the records. With 0, one record is enough.";
export const appliesTo = "Applies to";
export const allMine = "all my devices";
export const wholeFleetOption = "all devices";
export const onlyDevice = (device: string) => `only ${device}`;
export const onlyHardware = (hardware: string) => `only ${hardware}`;
export const reminder = "Reminders until acknowledged";
export const never = "none";
export const hourly = "every hour";
export const daily = "every day";
export const weekly = "every week";
export const otherReminder = (interval: string) => `every ${interval}`;

export const describeSilent = (intervals: number) =>
  `No record for ${counted(intervals, { one: "interval", other: "intervals" })}`;
export const describeAbove = (metric: string, threshold: string) => `${metric} above ${threshold}`;
export const describeBelow = (metric: string, threshold: string) => `${metric} below ${threshold}`;
export const describeHold = (level: string, duration: string) => `${level} for ${duration}`;
export const describeUpdateFailed = "An update failed";
export const describeRolloutHalted = "A rollout halted automatically";

export const ofDevice = "Rules for this device";
export const ofDeviceHint = "Rules for all devices apply to it too.";
