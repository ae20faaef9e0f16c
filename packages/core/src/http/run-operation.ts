import { err, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { RouteName } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { findCurrentDevice } from "../device/find-current-device.js";
import { noteRefusals, toRefusals } from "../refusal/note-refusals.js";
import type { Failure } from "../shared/failure.js";
import { nextTurn } from "../shared/next-turn.js";
import type { Turn } from "../shared/turn.js";
import type { User } from "../user/user.js";
import type { Handlers } from "./call.js";
import { createCallerQueues } from "./caller-queues.js";
import type { Deadline } from "./deadline.js";
import type { OperationCall, RunOperation } from "./operation-call.js";
import type { Answer } from "./render.js";
import type { Caller } from "./request/authenticate.js";
import { byteQuotaOf } from "./request/byte-quota.js";
import { readInput } from "./request/read-input.js";
import { toUpload } from "./request/upload.js";
import { throttleCalls } from "./throttle-calls.js";

function callerOf(caller: Caller): Device | User | null {
  switch (caller.kind) {
    case "nobody":
      return null;
    case "device":
      return caller.device;
    case "user":
      return caller.user;
  }
}

/** The parts that HTTP and calls in code share, including the queue of waiting logins. */
export interface OperationRunning {
  readonly handlers: Handlers;
  /** The handlers of calls in code without token buckets. */
  readonly unthrottledHandlers: Handlers;
  readonly runOperation: RunOperation;
}

/** After a body that takes longer, the device is looked up again, because it may have been revoked meanwhile (§1). */
const longBodyMs = 250;

const telemetry: RouteName = "sendTelemetry";

/**
 * Creates the function that runs an operation. Its steps are the same over HTTP and in code: throttle, parse, call,
 * record that the device was seen.
 */
export function createOperationRunner(context: GatewayContext): RunOperation {
  const { limits } = context;
  const { queueOf, isLongRead } = createCallerQueues(context);
  const runThrottled = throttleCalls(context, callHandler);

  async function callHandler(
    call: OperationCall,
    deadline: Deadline,
  ): Promise<Result<Answer, Failure>> {
    const { name, operation, handler, params, request, origin, caller, throttled } = call;
    const { pause, restart } = deadline;
    const quota = throttled ? byteQuotaOf(context, operation, caller, request, origin) : undefined;
    const allowed = await quota?.draw();
    if (allowed?.isErr()) return err(allowed.error);
    const { request: declared } = operation;
    // The owner of the HTTP listener limits how long a body may take.
    const readsBody = declared.kind === "json";
    const readsFrom = performance.now();
    if (readsBody) pause();
    const input = await readInput(operation, params, request, limits, quota?.settle);
    if (readsBody) restart();
    if (input.isErr()) return err(input.error);
    if (caller.kind === "device" && performance.now() - readsFrom > longBodyMs) {
      const device = await findCurrentDevice(context, caller.device);
      if (device === null) return err({ code: "unauthorized" });
    }

    const { params: named, query, headers } = input.value;
    const watch = { onStart: pause, onEnd: restart };
    const body =
      declared.kind === "bytes"
        ? toUpload(request.stream(), limits[declared.limit], watch)
        : input.value.body;
    const toTurn =
      (next: Turn): Turn =>
      async (piece) => {
        deadline.check();
        await next(piece);
        deadline.check();
      };
    const turn = toTurn(request.turn ?? nextTurn);
    // Lists the fields, because spreading the input would cost more than the rest of this function.
    const work = (called: Device | User | null) =>
      handler({ params: named, query, headers, body, caller: called, origin, deadline, turn });
    const queue = queueOf(call);
    if (queue === undefined) return work(callerOf(caller));
    return queue(caller.name, async (hasWaited) => {
      if (!hasWaited) return work(callerOf(caller));
      // The client may have gone, and without a turn all waiting requests could run in one. A long read is charged for
      // the time since its first call of `turn`, so `nextTurn` begins its work.
      await (isLongRead(name) ? toTurn(nextTurn)() : turn());
      if (caller.kind !== "device") return work(callerOf(caller));
      const device = await findCurrentDevice(context, caller.device);
      return device === null ? err({ code: "unauthorized" }) : work(device);
    });
  }

  return async (call, deadline) => {
    const { name, caller, origin } = call;
    const result = await runThrottled(call, deadline);
    // Writes nothing for stored telemetry: the store has recorded the time together with the records.
    if (caller.kind === "device") {
      if (name === telemetry && result.isErr()) {
        await noteRefusals(context, caller.device, toRefusals(result.error));
      }
      await context.presence.see(caller.device, context.clock.now(), origin.requestId);
    }
    return result;
  };
}
