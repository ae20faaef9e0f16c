import { afterEach, expect, test } from "vitest";
import { site } from "../session.js";
import type { SiteAnswer } from "../site-answer.js";
import { maySend } from "./may-send.js";

afterEach(() => {
  site.value = undefined;
});

const commands = [
  { name: "relay", sentBy: ["owner"], payload: {} },
  { name: "reboot", sentBy: ["operator"], payload: {} },
];
const signIn = (operator: boolean) => {
  site.value = { commands, account: { operator } } as unknown as SiteAnswer;
};
const allowed = (isOwner: boolean) =>
  ["relay", "reboot", "update-now", "removed"].filter((name) => maySend(name, { isOwner }));

test("users who may send a command can cancel it, and all users one whose declaration was removed", () => {
  signIn(false);
  expect(allowed(true)).toEqual(["relay", "update-now", "removed"]);
  expect(allowed(false)).toEqual([]);
  signIn(true);
  expect(allowed(false)).toEqual(["reboot", "removed"]);
});
