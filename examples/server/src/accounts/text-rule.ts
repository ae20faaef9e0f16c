import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";

const refusal = {
  code: "INVALID_TEXT",
  message: "The body contains half of a surrogate pair (U+D800 to U+DFFF). Send valid Unicode.",
};

const loneSurrogate = /\p{Cs}/u;

/** Returns whether a JSON value contains a string or a name that is not well-formed Unicode. */
function isMalformed(json: unknown): boolean {
  // Not recursive, because a body can be nested more deeply than the stack allows.
  const values = [json];
  for (const value of values) {
    if (typeof value === "string" && loneSurrogate.test(value)) return true;
    if (typeof value === "object" && value !== null)
      values.push(...Object.entries(value as Readonly<Record<string, unknown>>).flat());
  }
  return false;
}

const refuseMalformed = createAuthMiddleware(async (call) => {
  if (isMalformed(call.body)) throw APIError.from("BAD_REQUEST", refusal);
});

/** Creates a plugin that rejects text that cannot be encoded, for example in a URL (ECMA-262, `encodeURIComponent`). */
export const textRule = () =>
  ({
    id: "text-rule",
    hooks: { before: [{ matcher: () => true, handler: refuseMalformed }] },
  }) satisfies BetterAuthPlugin;
