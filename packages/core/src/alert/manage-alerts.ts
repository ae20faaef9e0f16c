import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { AlertAnswer } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { badCursor, type PageQuery, parseCursor, toPage } from "../shared/page.js";
import { parseTimestamp } from "../shared/timestamp.js";
import { mayManage, type OwnerScope, ownerOfScope } from "../user/owner-of-scope.js";
import type { User } from "../user/user.js";
import type { Alert } from "./alert.js";
import { toAlertAnswer } from "./alert-answers.js";

export interface AlertQuery extends PageQuery {
  readonly scope: OwnerScope;
  readonly state: "firing" | "all";
  readonly deviceId?: string | undefined;
}

export interface AlertPage {
  readonly alerts: AlertAnswer[];
  readonly nextCursor: string | null;
}

/** Returns the alert before the page, or null if the page is the first. */
function parsePlace(
  cursor: string | undefined,
): Result<{ readonly firedAt: number; readonly id: string } | null, Failure<"invalid_request">> {
  return parseCursor(cursor, "").andThen((text) => {
    if (text === "") return ok(null);
    const [, firedAt = "", id = ""] = /^(\d{1,16}):([\w-]+)$/.exec(text) ?? [];
    return id === "" ? err(badCursor) : ok({ firedAt: Number(firedAt), id });
  });
}

/** Returns one page of the alerts of the caller's rules, or of the operators' rules, the latest first. */
export async function listAlerts(
  { store }: GatewayContext,
  user: User,
  { limit, cursor, scope, state, deviceId }: AlertQuery,
): Promise<Result<AlertPage, Failure<"invalid_request" | "forbidden">>> {
  const owner = ownerOfScope(user, scope);
  if (owner.isErr()) return err(owner.error);
  const before = parsePlace(cursor);
  if (before.isErr()) return err(before.error);
  const found = await store.alerts.list({
    ...{ ownerId: owner.value, deviceId: deviceId ?? null, firing: state === "firing" },
    ...{ before: before.value, limit: limit + 1 },
  });
  const { page, nextCursor } = toPage(found, limit, ({ firedAt, id }) => `${firedAt}:${id}`);
  return ok({ alerts: page.map(toAlertAnswer), nextCursor });
}

type NotFound = Failure<"alert_not_found">;

/** Changes an alert of the user, then returns it. */
async function changeAlert(
  { store }: GatewayContext,
  user: User,
  id: string,
  change: (alert: Alert) => Promise<{ readonly kind: "recorded" | "unknown" }>,
): Promise<Result<AlertAnswer, NotFound>> {
  const before = await store.alerts.find(id);
  if (before === null || !mayManage(user, before)) return err({ code: "alert_not_found" });
  const { kind } = await change(before);
  const after = kind === "recorded" ? await store.alerts.find(id) : null;
  return after === null ? err({ code: "alert_not_found" }) : ok(toAlertAnswer(after));
}

/** Records that the user acknowledged an alert. */
export const acknowledgeAlert = (
  context: GatewayContext,
  user: User,
  id: string,
): Promise<Result<AlertAnswer, NotFound>> =>
  changeAlert(context, user, id, () =>
    context.store.alerts.acknowledge({ id, by: user.id, at: context.clock.now() }),
  );

/** Mutes notifications of an alert's rule about its subject until a time. */
export const muteAlert = (
  context: GatewayContext,
  user: User,
  id: string,
  until: string | number | null,
): Promise<Result<AlertAnswer, NotFound>> =>
  changeAlert(context, user, id, () =>
    context.store.alerts.mute({
      id,
      until: until === null ? null : (parseTimestamp(until) ?? null),
    }),
  );
