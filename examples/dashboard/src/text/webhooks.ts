import { counted } from "./plural.js";

export const title = "Webhooks";
export const hint =
  "The server sends events to your systems, signed in the Standard Webhooks format.";
export const ofOwnerHint =
  "The server sends events of your devices to your systems, signed in the Standard Webhooks format.";
export const create = "New webhook";
export const createFirst = "Create the first webhook";
export const noneYet = "No webhooks yet";
export const noneYetHint =
  "A webhook gets a signed message for each event that you choose: a claimed device, a failed update, an alert that fires.";
export const noneYetOfOwnerHint =
  "A webhook gets a signed message for each event of your devices that you choose: a device that is offline, a failed update, an alert that fires.";
export const notEnabled = "Webhooks are off";
export const notEnabledHint = "Ask the administrator to start this server with WEBHOOKS=1.";

export const stateEnabled = "enabled";
export const stateDisabled = "disabled";
export const stateFailing = (since: string) => `failing since ${since}`;
export const allEvents = "all events";
export const someEvents = (kinds: readonly string[]) => kinds.join(", ");
export const createdAt = (at: string) => `created ${at}`;

export const createTitle = "New webhook";
export const url = "URL";
export const urlHint = "It begins with https, and leads to a public address.";
export const urlExample = "https://example.com/hook";
export const events = "Events";
export const eventsHint = "If you choose none, the webhook gets all events.";
export const targetHardware = "Only for this hardware (optional)";
export const targetHardwareHint = "Separate several with commas.";
export const createWebhook = "Create webhook";
export const cancel = "Cancel";

export const secretTitle = "The secret of this webhook";
export const secretHint =
  "Your system verifies each message with it. It is shown only now: copy it to a safe place.";
export const secret = "Secret";
export const copySecret = "Copy secret";
export const secretCopied = "Secret copied.";
export const secretKept = "I have kept it";
export const leaveSecret = "The secret is not shown again. Leave without keeping it?";

export const titleOf = "Webhook";
export const filter = "Gets";
export const disabledReason = "Disabled because";
export const created = "Created";
export const hardware = "Hardware";
export const anyHardware = "any";
export const sendTest = "Send a test event";
export const testSent = "The test event will be sent soon. Its attempt appears below.";
export const enable = "Enable";
export const enabledToast = "Enabled. It continues where it stopped.";
export const disable = "Disable";
export const disabledToast = "Disabled. Events wait until you enable it.";
export const rotate = "New secret";
export const rotateTitle = "Create a new secret?";
export const rotateHint =
  "For one day, messages have a signature of the former secret too. Change your system within that day.";
export const remove = "Delete";
export const removeTitle = "Delete this webhook?";
export const removeHint =
  "This deletes its history and the messages that wait. You can't undo this.";
export const removeWebhook = "Delete webhook";
export const removedToast = "Webhook deleted.";
export const notFound = "Webhook not found";
export const notFoundHint = "It may have been deleted.";
export const allWebhooks = "All webhooks";

export const replay = "Send again";
export const replayHint =
  "Sends all events since a given time again. They keep their ids, so your system can ignore those that it already has.";
export const replayFrom = "Since";
export const replayButton = "Send events again";
export const replayed = "The events will be sent soon.";

export const attempts = "Deliveries";
export const attemptsHint = "The latest attempts. A webhook keeps 200.";
export const noAttempts = "No deliveries yet";
export const noAttemptsHint = "Each attempt appears here. Send a test event to see one.";
export const milliseconds = (count: number) => `${count.toLocaleString()} ms`;
export const arrived = (status: string) => `arrived, ${status}`;
export const failedWith = (status: string) => `failed, ${status}`;
export const noResponse = "no response";
export const response = "Response";

export const waiting = "Waiting messages";
export const waitingHint = "The server retries them automatically, with growing pauses.";
export const dead = "Dead letters";
export const deadHint =
  "The server gave up on these messages: their delivery failed for three days, or more than 100 messages of their device waited. Repair your system, then send them again.";
export const noDead = "No dead letters";
export const noDeadHint = "A message that the server gave up on appears here.";
export const retryAll = "Send all again";
export const retry = "Send again";
export const retryNamed = (kind: string) => `Send again: ${kind}`;
export const retried = (count: number) =>
  `${counted(count, { one: "message", other: "messages" })} will be sent again soon.`;
export const attemptCount = (count: number) =>
  counted(count, { one: "attempt", other: "attempts" });
export const dueAt = (at: string) => `next attempt ${at}`;
export const refresh = "Refresh";
