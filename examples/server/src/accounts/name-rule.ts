import type { BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";
import { isUnsafeText } from "../log/unsafe-text.js";

const maxLength = 100;

const invalidName = {
  code: "INVALID_NAME",
  message: `A name has at most ${maxLength} characters, no control characters and no line breaks. Choose another name.`,
};

async function checkName({ name }: { readonly name?: unknown }): Promise<void> {
  if (name === undefined) return;
  const valid = typeof name === "string" && [...name].length <= maxLength && !isUnsafeText(name);
  if (!valid) throw new APIError("BAD_REQUEST", invalidName);
}

/** Checks names where accounts are written, so that no route can avoid the check. An invalid name is 400 INVALID_NAME. */
export const nameRule: BetterAuthOptions["databaseHooks"] = {
  user: { create: { before: checkName }, update: { before: checkName } },
};
