import { err, ok, type Result } from "neverthrow";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "../user/user.js";

/** `own`: rules of the caller. `operator`: rules of all operators. */
export type AlertScope = "own" | "operator";

/** Returns the owner whose rules a user means. Null: the operators. */
export function ownerOfScope(
  user: User,
  scope: AlertScope,
): Result<string | null, Failure<"forbidden">> {
  if (scope === "own") return ok(user.id);
  return isOperator(user) ? ok(null) : err({ code: "forbidden" });
}

/** Returns whether the rules or alerts of an owner (null: the operators) are the user's. */
export const isTheirs = (user: User, { ownerId }: { readonly ownerId: string | null }): boolean =>
  ownerId === null ? isOperator(user) : ownerId === user.id;
