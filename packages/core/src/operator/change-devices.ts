import { err, ok, type Result } from "neverthrow";
import { depthErrors } from "../config/merge-patch.js";
import type { GatewayContext } from "../context.js";
import { type BulkAction, type BulkVerdict, problems } from "../contract/index.js";
import { configureAnyDevice } from "../dashboard/device-config.js";
import type { Limits } from "../limits.js";
import { setOtaTarget } from "../ota/offer/set-ota-target.js";
import { clearUpdateBlocks } from "../ota/update/clear-update-blocks.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { toUtf8 } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import { nextTurn } from "../shared/next-turn.js";
import { toStorableText } from "../shared/storable-text.js";
import { drawFurtherDashboardTokens } from "../throttle/draw-further-dashboard-tokens.js";
import { type OperatorAction, reinstateDevice, revokeDevice } from "./operator-actions.js";

/** Devices that one token of the dashboard throttle pays for. */
const devicesPerToken = 10;
/** Devices that are changed at the same time, so that their commits are synced together. */
const atOnce = 10;
/** The longest detail of a verdict, in characters. */
const maxDetailLength = 512;

export interface BulkRequest extends Omit<OperatorAction, "deviceId"> {
  readonly deviceIds: readonly string[];
  readonly action: BulkAction;
  /** @throws {DeadlineError} if nobody waits for the response any more. */
  readonly checkDeadline: () => void;
}

function changeOne(
  context: GatewayContext,
  action: BulkAction,
  about: OperatorAction,
): Promise<Result<unknown, Failure>> {
  switch (action.kind) {
    case "revoke":
      return revokeDevice(context, about);
    case "reinstate":
      return reinstateDevice(context, about);
    case "clear_update_blocks":
      return clearUpdateBlocks(context, about);
    case "set_target":
      return setOtaTarget(context, about, action.target);
    case "configure": {
      const { deviceId, operator, origin } = about;
      // The body was parsed from JSON, so it contains only JSON values.
      const patch = action.patch as JsonObject;
      // The request goes on after its deadline, so that repeating it makes progress.
      const change = { deviceId, patch, accepts: () => true, checkDeadline: () => {} };
      return configureAnyDevice(context, operator, change, origin);
    }
  }
}

function toVerdict(deviceId: string, result: Result<unknown, Failure>): BulkVerdict {
  if (result.isOk()) return { deviceId, code: "done" };
  const { code, errors = [] } = result.error;
  const fields = errors.map(({ path, message }) => `${path}: ${message}`);
  const detail = fields.join(" ") || problems[code].detail;
  return { deviceId, code, detail: toStorableText(detail, maxDetailLength) };
}

/**
 * Changes one device. A change that throws gets a verdict too, so that it does not withhold those of the others: the
 * database of one cell may be down.
 */
async function changeToVerdict(
  context: GatewayContext,
  action: BulkAction,
  about: OperatorAction,
): Promise<{ verdict: BulkVerdict; error?: unknown }> {
  const { deviceId, origin } = about;
  try {
    return { verdict: toVerdict(deviceId, await changeOne(context, action, about)) };
  } catch (error) {
    const { requestId } = origin;
    const isTemporary = error instanceof StoreUnavailableError;
    const fields = { requestId, deviceId, err: error };
    context.logger[isTemporary ? "warn" : "error"](fields, "A device could not be changed");
    const code = isTemporary ? "unavailable" : "internal";
    return { verdict: toVerdict(deviceId, err({ code })), error };
  }
}

/** Bounds what is checked for each device: a patch is at most as large as in a request about one device. */
function checkAction(
  action: BulkAction,
  { bodyBytes }: Limits,
): Result<void, Failure<"invalid_request" | "payload_too_large">> {
  if (action.kind !== "configure") return ok(undefined);
  const errors = depthErrors(action.patch, "action.patch");
  if (errors.length > 0) return err({ code: "invalid_request", errors });
  const { length } = toUtf8(JSON.stringify(action.patch));
  return length > bodyBytes ? err({ code: "payload_too_large" }) : ok(undefined);
}

/**
 * Makes the same change to many devices for an operator (§8), and returns a verdict for each. Each change is durable on
 * its own. The request draws one further dashboard token for each ten devices.
 * @throws the error of the last device if every device failed with one.
 */
export async function changeDevices(
  context: GatewayContext,
  { deviceIds, action, operator, origin, checkDeadline }: BulkRequest,
): Promise<
  Result<BulkVerdict[], Failure<"invalid_request" | "payload_too_large" | "too_many_requests">>
> {
  const checked = checkAction(action, context.limits);
  if (checked.isErr()) return err(checked.error);
  const ids = [...new Set(deviceIds)];
  const tokens = Math.floor(ids.length / devicesPerToken);
  const drawn = await drawFurtherDashboardTokens(context, operator.id, tokens);
  if (drawn.isErr()) return err(drawn.error);
  const outcomes: Awaited<ReturnType<typeof changeToVerdict>>[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    const changes = ids.slice(from, from + atOnce).map(async (deviceId) => {
      await nextTurn();
      return changeToVerdict(context, action, { deviceId, operator, origin });
    });
    outcomes.push(...(await Promise.all(changes)));
    // After the deadline the request continues if at least one change did not throw, so that a repeated request has
    // less left to do. If every change so far threw an error, it ends.
    if (outcomes.every(({ error }) => error !== undefined)) checkDeadline();
  }
  if (outcomes.every(({ error }) => error !== undefined)) throw outcomes.at(-1)?.error;
  return ok(outcomes.map(({ verdict }) => verdict));
}
