import { err, ok, type Result } from "neverthrow";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "./user.js";

/** `own`: what belongs to the caller. `operator`: what belongs to all operators together. */
export type OwnerScope = "own" | "operator";

/** Returns whose alert rules or webhooks a user means. Null: those of the operators. */
export function ownerOfScope(
  user: User,
  scope: OwnerScope,
): Result<string | null, Failure<"forbidden">> {
  if (scope === "own") return ok(user.id);
  return isOperator(user) ? ok(null) : err({ code: "forbidden" });
}

/** Returns whether something of an owner (null: of the operators) is the user's. */
export const isTheirs = (user: User, { ownerId }: { readonly ownerId: string | null }): boolean =>
  ownerId === null ? isOperator(user) : ownerId === user.id;
