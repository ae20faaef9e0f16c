import { err, ok, type Result } from "neverthrow";
import type { GatewayContext, RequestOrigin } from "../context.js";
import {
  type ErrorCode,
  type Route,
  type RouteName,
  routes,
  type ThrottleName,
} from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { FaultCause } from "../events/observation.js";
import type { Limits } from "../limits.js";
import type { Tracer } from "../observe/tracer.js";
import type { Awaitable } from "../shared/awaitable.js";
import { CutStreamError } from "../shared/cut-stream-error.js";
import type { Failure } from "../shared/failure.js";
import { drawTokens } from "../throttle/draw-tokens.js";
import type { User } from "../user/user.js";
import { type Authenticators, authenticate, type Caller } from "./authenticate.js";
import type { Handlers } from "./call.js";
import { type Deadline, withDeadline } from "./deadline.js";
import { causeOf } from "./fault-cause.js";
import { createRouteMatcher, type MatchOutcome, type RouteMatch } from "./match-route.js";
import type { GatewayRequest, GatewayResponse } from "./message.js";
import { type Input, readInput } from "./read-input.js";
import { type Answer, renderAnswer, renderFailure } from "./render.js";
import { createRequestIds } from "./request-id.js";
import { unclaimedQuotaOf } from "./unclaimed-quota.js";
import { toUpload, UploadError } from "./upload.js";
import { cancelStream, watchStream } from "./watch-stream.js";

export interface HttpHandler {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Returns whether the gateway answers requests to a path. The embedder answers all others. */
  serves(path: string): boolean;
}

type UntypedHandler = (
  call: Omit<Input, "bodyLength"> & { origin: RequestOrigin; caller: Device | User | null },
) => Promise<Result<Answer, Failure>>;

const bucketSizes = {
  auth: "authPerMinute",
  telemetry: "telemetryPerMinute",
  dashboard: "dashboardPerMinute",
} as const satisfies Record<ThrottleName, keyof Limits>;

/** A response, with what events report about it. */
interface Reply {
  readonly response: GatewayResponse;
  readonly code: ErrorCode | null;
  readonly fault: FaultCause | null;
}

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

/** Cancels the stream of a response that came after its deadline, so that it holds no resources. */
function cancelLate(late: Result<Answer, Failure>): void {
  if (late.isErr() || late.value.stream === undefined) return;
  cancelStream(late.value.stream).catch(() => {});
}

/**
 * Creates the handler of all requests. Its steps are always the same: match, authenticate, throttle, parse, call,
 * render.
 */
export function createHttpHandler(
  context: GatewayContext,
  handlers: Handlers,
  authenticators: Authenticators,
  basePaths: readonly string[],
): HttpHandler {
  const { logger, limits, random, events, tracer } = context;
  const matcher = createRouteMatcher(routes, basePaths);
  const requestIdOf = createRequestIds(random);

  function throttle(route: Route, who: string): Awaitable<Result<void, Failure>> {
    const bucket = route.throttle;
    if (bucket === undefined) return ok(undefined);
    return drawTokens(context, { bucket, who, perMinute: limits[bucketSizes[bucket]] });
  }

  async function answer(
    match: RouteMatch,
    request: GatewayRequest,
    requestId: string,
    deadline: Deadline,
  ): Promise<Result<Answer, Failure>> {
    const origin = { requestId, clientAddress: request.clientAddress };
    const caller = await authenticate(context, authenticators, match.route, request, origin);
    if (caller.isErr()) return err(caller.error);
    const result = await processRequest(match, request, { origin, caller: caller.value }, deadline);
    // For stored telemetry this writes nothing more: the store noted the time along with the records.
    if (caller.value.kind === "device") {
      await context.presence.see(caller.value.device, context.clock.now(), requestId);
    }
    return result;
  }

  async function processRequest(
    { name, route, params }: RouteMatch,
    request: GatewayRequest,
    { origin, caller }: { readonly origin: RequestOrigin; readonly caller: Caller },
    { pause, restart }: Deadline,
  ): Promise<Result<Answer, Failure>> {
    const drawn = await throttle(route, caller.name);
    if (drawn.isErr()) return err(drawn.error);
    const quota = unclaimedQuotaOf(context, route, caller, request, origin);
    const allowed = await quota?.drawBefore();
    if (allowed?.isErr()) return err(allowed.error);
    const { request: declared } = route;
    // The owner of the HTTP listener limits how long a body may take.
    const readsBody = declared.kind === "json";
    if (readsBody) pause();
    const input = await readInput(route, params, request, limits);
    if (readsBody) restart();
    if (input.isErr()) return err(input.error);
    const counted = await quota?.drawAfter(input.value.bodyLength);
    if (counted?.isErr()) return err(counted.error);

    // The types of the table guarantee that the handler matches, but a lookup by name loses that.
    const handler = handlers[name as keyof Handlers] as unknown as UntypedHandler;
    const { params: named, query, headers } = input.value;
    const watch = { onStart: pause, onEnd: restart };
    const body =
      declared.kind === "bytes"
        ? toUpload(request.stream(), limits[declared.limit], watch)
        : input.value.body;
    // Spreading the input here would cost more than the rest of this function.
    return handler({ params: named, query, headers, body, caller: callerOf(caller), origin });
  }

  /** Answers a request. If no route matched, it does so without waiting. */
  function respond(
    match: MatchOutcome,
    request: GatewayRequest,
    requestId: string,
  ): Awaitable<Reply> {
    const fail = (failure: Failure, headers?: Record<string, string>): Reply => ({
      response: renderFailure(failure, requestId, headers),
      code: failure.code,
      fault: null,
    });
    switch (match.kind) {
      case "not_found":
        return fail({ code: "not_found" });
      case "bad_escape":
        return fail({ code: "invalid_request" });
      case "method_not_allowed":
        return fail({ code: "method_not_allowed" }, { allow: match.allow.join(", ") });
      case "matched":
        return withDeadline(
          (deadline) => answer(match, request, requestId, deadline),
          limits.answerTimeoutSeconds,
          cancelLate,
        ).then((result) =>
          result.isOk()
            ? { response: renderAnswer(result.value, requestId), code: null, fault: null }
            : fail(result.error),
        );
    }
  }

  async function reply(
    match: MatchOutcome,
    request: GatewayRequest,
    requestId: string,
  ): Promise<Reply> {
    try {
      return await respond(match, request, requestId);
    } catch (error) {
      const byClient = error instanceof UploadError;
      const fault = byClient ? null : causeOf(error);
      const code = byClient ? error.code : fault === "internal" ? "internal" : "unavailable";
      if (!byClient) {
        const { method, path } = request;
        logger.error({ requestId, method, path, err: error }, `Request failed: ${code}`);
      }
      return { response: renderFailure({ code }, requestId), code, fault };
    }
  }

  function trace(
    match: MatchOutcome,
    request: GatewayRequest,
    requestId: string,
    traced: Tracer,
  ): Promise<Reply> {
    const { method } = request;
    const header = (name: string) => request.header(name);
    const path = match.kind === "matched" ? match.route.path : null;
    return traced.traceRequest({ requestId, method, path, header }, () =>
      reply(match, request, requestId),
    );
  }

  return {
    serves: matcher.serves,
    async handle(request) {
      const isObserved = events.hasListeners("request.answered");
      const begunAt = isObserved ? performance.now() : 0;
      const requestId = requestIdOf(request.header("x-request-id"));
      const { method, path } = request;
      const match = matcher.match(method, path);
      const { response, code, fault } =
        tracer === undefined
          ? await reply(match, request, requestId)
          : await trace(match, request, requestId, tracer);
      if (isObserved) {
        events.announce({
          kind: "request.answered",
          requestId,
          route: match.kind === "matched" ? (match.name as RouteName) : null,
          status: response.status,
          code,
          fault,
          durationMs: performance.now() - begunAt,
        });
      }
      logger.debug({ requestId, method, path, status: response.status }, "Request answered");
      const { body } = response;
      if (typeof body === "string") return response;
      if (method === "HEAD") {
        await cancelStream(body);
        return { ...response, body: "" };
      }
      const onFault = (fault: unknown) => {
        const level = fault instanceof CutStreamError ? "info" : "error";
        logger[level]({ requestId, method, path, err: fault }, "A response stream was interrupted");
      };
      return { ...response, body: watchStream(body, onFault) };
    },
  };
}
