import { err, ok, type Result } from "neverthrow";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "./user.js";

/** `own`: what belongs to the caller. `operator`: what belongs to all operators together. */
export type OwnerScope = "own" | "operator";

/** Returns the owner of the alert rules or webhooks that a user asks for. Null: they belong to the operators. */
export function ownerOfScope(
  user: User,
  scope: OwnerScope,
): Result<string | null, Failure<"forbidden">> {
  if (scope === "own") return ok(user.id);
  return isOperator(user) ? ok(null) : err({ code: "forbidden" });
}

/** Returns whether a user may manage what belongs to an owner, or to the operators if `ownerId` is null. */
export const mayManage = (user: User, { ownerId }: { readonly ownerId: string | null }): boolean =>
  ownerId === null ? isOperator(user) : ownerId === user.id;
