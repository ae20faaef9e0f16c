import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Operation, RouteName, ThrottleName } from "../contract/index.js";
import type { Limits } from "../limits.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { Failure } from "../shared/failure.js";
import { createTurnQueue } from "../shared/next-turn.js";
import { drawTokens } from "../throttle/draw-tokens.js";
import { createImpatientDevices } from "../throttle/impatient-devices.js";
import { createPendingLogins } from "../throttle/pending-logins.js";
import type { Deadline } from "./deadline.js";
import type { RunOperation } from "./operation-call.js";

const bucketSizes = {
  auth: "authPerMinute",
  telemetry: "telemetryPerMinute",
  dashboard: "dashboardPerMinute",
} as const satisfies Record<ThrottleName, keyof Limits>;

/** Logins that a turn of the event loop starts. They take some milliseconds, and share one commit. */
const loginsPerTurn = 16;

/** The longest time that a login waits for others. It is shorter than the deadline of requests. */
const longestLoginWaitMs = 5_000;

const login: RouteName = "loginDevice";
const registration: RouteName = "registerDevice";
const telemetry: RouteName = "sendTelemetry";

/**
 * Puts the token buckets of callers (§9) in front of `callHandler`. A login may wait for a token. A device that repeats
 * refused telemetry too early is refused before its body is read.
 */
export function throttleCalls(context: GatewayContext, callHandler: RunOperation): RunOperation {
  const { limits, isProductionAddress } = context;
  const pendingLogins = createPendingLogins();
  const impatientDevices = createImpatientDevices(context.clock);
  // After an outage a whole fleet logs in at once. Devices that are logged in need not wait for all of those logins.
  const loginTurn = createTurnQueue(loginsPerTurn);

  function throttle(
    { throttle: bucket }: Operation,
    who: string,
  ): Awaitable<Result<void, Failure>> {
    if (bucket === undefined) return ok(undefined);
    return drawTokens(context, { bucket, who, perMinute: limits[bucketSizes[bucket]] });
  }

  /** Draws a token for a login. If none is left, waits while pending logins of the address may return theirs. */
  async function drawForLogin(
    operation: Operation,
    who: string,
    deadline: Deadline,
  ): Promise<Result<() => void, Failure>> {
    const endsAt = performance.now() + longestLoginWaitMs;
    for (;;) {
      deadline.check();
      const drawn = await throttle(operation, who);
      if (drawn.isOk()) return ok(pendingLogins.begin(who));
      if (!(await pendingLogins.wait(who, endsAt - performance.now()))) return err(drawn.error);
    }
  }

  return async (call, deadline) => {
    const { name, operation, caller, origin, throttled } = call;
    const isExempt = name === registration && isProductionAddress(origin.clientAddress);
    if (!throttled || isExempt) return callHandler(call, deadline);
    if (name === login) {
      const drawn = await drawForLogin(operation, caller.name, deadline);
      if (drawn.isErr()) return err(drawn.error);
      await loginTurn();
      return callHandler(call, deadline).finally(drawn.value);
    }
    const drawn = await throttle(operation, caller.name);
    if (drawn.isErr()) return err(drawn.error);
    if (name !== telemetry) return callHandler(call, deadline);
    const begun = impatientDevices.begin(caller.name);
    if (begun.isErr()) return err(begun.error);
    const result = await callHandler(call, deadline);
    impatientDevices.note(caller.name, begun.value, result);
    return result;
  };
}
