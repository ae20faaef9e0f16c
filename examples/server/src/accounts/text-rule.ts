import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";

const refusal = {
  code: "INVALID_TEXT",
  message:
    "The body contains U+0000 or half of a surrogate pair (U+D800 to U+DFFF). Send text without them.",
};

/** Half of a surrogate pair, or U+0000, which Postgres does not store or compare. */
const unusable = /\p{Cs}|\0/u;

/** Returns whether a JSON value contains a string or a name that the accounts cannot use. */
function isMalformed(json: unknown): boolean {
  // Not recursive, because a body can be nested more deeply than the stack allows.
  const values = [json];
  for (const value of values) {
    if (typeof value === "string" && unusable.test(value)) return true;
    if (typeof value === "object" && value !== null)
      values.push(...Object.entries(value as Readonly<Record<string, unknown>>).flat());
  }
  return false;
}

const refuseMalformed = createAuthMiddleware(async (call) => {
  if (isMalformed([call.body, call.query, call.params]))
    throw APIError.from("BAD_REQUEST", refusal);
});

/** Creates a plugin that rejects text that cannot be encoded in a URL (ECMA-262, `encodeURIComponent`) or sent to Postgres. */
export const textRule = () =>
  ({
    id: "text-rule",
    hooks: { before: [{ matcher: () => true, handler: refuseMalformed }] },
  }) satisfies BetterAuthPlugin;
