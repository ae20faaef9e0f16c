import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Operation, RouteName, ThrottleName } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { findCurrentDevice } from "../device/find-current-device.js";
import type { Limits } from "../limits.js";
import { noteRefusals, toRefusals } from "../refusal/note-refusals.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { Failure } from "../shared/failure.js";
import { createInTurn, type InTurn } from "../shared/in-turn.js";
import { createTurnQueue, nextTurn } from "../shared/next-turn.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { drawTokens } from "../throttle/draw-tokens.js";
import { createImpatientDevices } from "../throttle/impatient-devices.js";
import { createPendingLogins } from "../throttle/pending-logins.js";
import type { User } from "../user/user.js";
import type { Handlers } from "./call.js";
import type { Deadline } from "./deadline.js";
import type { Answer } from "./render.js";
import type { Caller } from "./request/authenticate.js";
import { byteQuotaOf } from "./request/byte-quota.js";
import type { GatewayRequest } from "./request/message.js";
import { type Input, readInput } from "./request/read-input.js";
import { toUpload } from "./request/upload.js";

/** A handler of any operation. The types of the route table guarantee that each operation has a handler that fits. */
export type UntypedHandler = (
  call: Input & {
    origin: RequestOrigin;
    caller: Device | User | null;
    deadline: Deadline;
    turn: () => Promise<void>;
  },
) => Promise<Result<Answer, Failure>>;

/** A call of an operation by an authenticated caller. */
export interface OperationCall {
  readonly name: string;
  readonly operation: Operation;
  readonly handler: UntypedHandler;
  readonly params: Readonly<Record<string, string>>;
  readonly request: GatewayRequest;
  readonly origin: RequestOrigin;
  readonly caller: Caller;
  /** Whether the call draws from the caller's token buckets. */
  readonly throttled: boolean;
}

const bucketSizes = {
  auth: "authPerMinute",
  telemetry: "telemetryPerMinute",
  dashboard: "dashboardPerMinute",
} as const satisfies Record<ThrottleName, keyof Limits>;

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

/**
 * Runs an operation. The steps are the same over HTTP and in code: throttle, parse, call, record that the device was
 * seen.
 */
export type RunOperation = (
  call: OperationCall,
  deadline: Deadline,
) => Promise<Result<Answer, Failure>>;

/** The parts that HTTP and calls in code share, including the queue of waiting logins. */
export interface OperationRunning {
  readonly handlers: Handlers;
  /** The handlers of calls in code without token buckets. */
  readonly unthrottledHandlers: Handlers;
  readonly runOperation: RunOperation;
}

/** Logins that a turn of the event loop starts. They take some milliseconds, and share one commit. */
const loginsPerTurn = 16;

/**
 * Requests of a user that run at once in this process. A user may send the requests of a whole minute in one second,
 * and they would take the connections of the database from the devices.
 */
const requestsAtOnce = 2;
/** Operations that do not wait for others of the same caller. Most of them may take seconds. */
const longOperations: ReadonlySet<string> = new Set<RouteName>([
  // They take turns, or wait for a slow hash, for hooks of the embedder, or for the client.
  "changeDevices",
  "claimDevice",
  "releaseDevice",
  "changeRelease",
  "uploadReleaseImage",
  // The store commits telemetry of many requests together. The other two wait for a command or send an image.
  "sendTelemetry",
  "fetchCommands",
  "downloadFirmware",
]);

/** The longest time that a login waits for others. It is shorter than the deadline of requests. */
const longestLoginWaitMs = 5_000;

/** After a body that takes longer, the device is looked up again, because it may have been revoked meanwhile (§1). */
const longBodyMs = 250;

const login: RouteName = "loginDevice";
const registration: RouteName = "registerDevice";
const telemetry: RouteName = "sendTelemetry";

export function createOperationRunner(context: GatewayContext): RunOperation {
  const { limits, isProductionAddress } = context;
  const pendingLogins = createPendingLogins();
  const impatientDevices = createImpatientDevices(context.clock);
  // After an outage a whole fleet logs in at once. Devices that are logged in need not wait for all of those logins.
  const loginTurn = createTurnQueue(loginsPerTurn);
  const usersInTurn = createInTurn(requestsAtOnce);
  // A history may rest for seconds, so the user's other requests do not wait for it. The other long reads keep their place
  // only until their response begins.
  const histories = createInTurn(requestsAtOnce);
  const openings = createInTurn(requestsAtOnce);
  const longReads: ReadonlyMap<string, InTurn> = new Map<RouteName, InTurn>([
    ["readTelemetryHistory", histories],
    ["listTelemetryRecords", openings],
    ["followTelemetry", openings],
    ["exportTelemetry", openings],
  ]);

  /** Returns the queue of an operation, or undefined if it does not wait for others of its caller. */
  function queueOf({ name, operation, caller, throttled }: OperationCall): InTurn | undefined {
    if (!throttled || longOperations.has(name)) return undefined;
    if (caller.kind === "device") return context.devicesInTurn;
    if (operation.throttle !== "dashboard") return undefined;
    return longReads.get(name) ?? usersInTurn;
  }

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

  async function runThrottled(
    call: OperationCall,
    deadline: Deadline,
  ): Promise<Result<Answer, Failure>> {
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
  }

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
    const toTurn = (next: () => Promise<void>) => async () => {
      deadline.check();
      await next();
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
      await (longReads.has(name) ? toTurn(nextTurn)() : turn());
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
