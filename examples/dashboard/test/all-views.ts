/** A page or a tab of one. */
export interface View {
  readonly path: string;
  /** A text that appears when the view is loaded. */
  readonly ready: string;
  /** The dialogs of the view: the name of the button that opens one, and its title. */
  readonly dialogs?: readonly (readonly [string, string])[];
}

/** Every page and every tab, with the dialogs that they open. `WEBHOOK` stands for the id of a webhook. */
export const views: readonly View[] = [
  { path: "/", ready: "gw-2" },
  { path: "/?q=xyz", ready: "No matching devices" },
  { path: "/compare?device=gw-1&device=gw-2", ready: "Highest minus lowest" },
  { path: "/compare", ready: "Nothing to compare" },
  { path: "/connect", ready: "Register it and send a record" },
  { path: "/claim?device=gw-9", ready: "Claim this gateway" },
  { path: "/devices/gw-1", ready: "temperature" },
  {
    path: "/devices/gw-1/alerts",
    ready: "The value was 31.",
    dialogs: [
      ["New rule", "New alert rule"],
      ["Edit Too warm", "Change alert rule"],
      ["Mute Too warm", "Mute “Too warm”?"],
      ["Delete Too warm", "Delete “Too warm”?"],
    ],
  },
  { path: "/devices/gw-1/commands", ready: "minutes: 5" },
  { path: "/devices/gw-1/firmware", ready: "update available" },
  {
    path: "/devices/gw-1/settings",
    ready: "Erase this device",
    dialogs: [
      ["Release this device", "Release gw-1?"],
      ["Revoke this device", "Revoke gw-1?"],
      ["Erase this device", "Erase gw-1?"],
    ],
  },
  { path: "/devices/unknown", ready: "Device not found" },
  { path: "/releases", ready: "demo-thermometer" },
  { path: "/releases/new", ready: "Fill in the image details first" },
  { path: "/releases/1", ready: "Pause rollout", dialogs: [["Withdraw", "Withdraw 1.1.0?"]] },
  { path: "/alerts", ready: "The value was 31." },
  { path: "/webhooks", ready: "https://", dialogs: [["New webhook", "New webhook"]] },
  {
    path: "/webhooks/WEBHOOK",
    ready: "Send a test event",
    dialogs: [
      ["New secret", "Create a new secret?"],
      ["Delete", "Delete this webhook?"],
    ],
  },
  { path: "/audit", ready: "device.claimed" },
  {
    path: "/account",
    ready: "(this session)",
    dialogs: [["Delete this account", "Delete your account?"]],
  },
  { path: "/confirm-email#token=x&newEmail=new@example.com", ready: "new@example.com" },
  { path: "/demo/mails", ready: "Verify your e-mail address" },
  { path: "/nowhere", ready: "Page not found" },
];

/** Every page that needs no account. */
export const publicViews: readonly View[] = [
  { path: "/sign-in", ready: "Open the demo" },
  { path: "/sign-up", ready: "At least" },
  { path: "/forgot-password", ready: "Send reset link" },
  { path: "/reset-password#token=x", ready: "Change password" },
  { path: "/verify-email#token=x&email=ann@example.com", ready: "Verify address" },
  { path: "/undo#token=x&email=ann@example.com", ready: "It was not me" },
  { path: "/claim?device=gw-9&code=ABCD", ready: "Sign in to claim" },
];
