import { counted } from "./plural.js";

export const offline = "The server can't be reached. Check your connection and try again.";
export const offlineRetried =
  "The server can't be reached. Check your connection. This page retries by itself.";
export const offlineChange =
  "The server can't be reached. The change may or may not have been made. Check your connection and try again.";
export const unexpectedStatus = (status: number) =>
  `The server returned status ${status}. Try again.`;
export const tryAgain = "Try again";
export const lastUpdate = (time: string) => `Last update: ${time}.`;
export const partNotLoaded = "Part of the page could not be loaded. Reload the page.";
export const leaveUnsaved = "Your changes are not saved. Leave without saving?";
export const productName = "Device Gateway";
export const titleOf = (title: string) => `${title} · Device Gateway`;
export const notFound = "Not found";
export const pageNotFound = "Page not found";
export const goToDevices = "Go to your devices";
export const pageNotFoundHint = "Check the address, or go to your devices.";
export const theme = "Theme";
export const system = "System";
export const light = "Light";
export const dark = "Dark";
export const menu = "Menu";
export const signedInAs = "Signed in as";
export const yourAccount = "Your account";
export const demoEmails = "Demo e-mails";
export const apiReference = "API reference";
export const signOut = "Sign out";
export const main = "Main";
export const devices = "Devices";
export const alerts = "Alerts";
/** For screen readers. The link shows the count. */
export const firingAlerts = (count: number) =>
  counted(count, { one: "alert is firing", other: "alerts are firing" });
export const moreFiringAlerts = (count: number) =>
  `More than ${counted(count, { one: "alert is firing", other: "alerts are firing" })}`;
export const releases = "Releases";
export const webhooks = "Webhooks";
export const auditTrail = "Audit trail";
export const cancel = "Cancel";
export const operatorsOnly = "Operators only";
export const yourDevices = "Your devices";
export const operatorsOnlyHint =
  "Ask the administrator of this server to add your verified e-mail address to OPERATOR_EMAILS.";
export const serverUnreachable = "The server can't be reached";
export const serverUnreachableHint = "Check your connection and that the server is running.";
export const skipToContent = "Skip to content";
export const operatorsNeedFactor = "Operators need a second factor here.";
export const turnFactorOn = "Turn it on";
export const timesAreIn = (timeZone: string) => `Times are in ${timeZone}.`;
export const cannotCopy = "The browser doesn't allow copying here. Select the text instead.";
