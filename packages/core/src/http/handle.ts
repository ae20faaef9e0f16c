import { err, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { type ErrorCode, type RouteName, routes } from "../contract/index.js";
import type { FaultCause } from "../events/observation.js";
import type { Tracer } from "../observe/tracer.js";
import type { Awaitable } from "../shared/awaitable.js";
import { CutStreamError } from "../shared/cut-stream-error.js";
import type { Failure } from "../shared/failure.js";
import { JsonBytes } from "../shared/json-bytes.js";
import type { Handlers } from "./call.js";
import { type Deadline, withDeadline } from "./deadline.js";
import { faultOf } from "./fault-cause.js";
import type { UntypedHandler } from "./operation-call.js";
import { type Answer, renderAnswer, renderFailure, waitOf } from "./render.js";
import { type Authenticators, authenticate } from "./request/authenticate.js";
import { ClientGoneError } from "./request/client-gone-error.js";
import { createRouteMatcher, type MatchOutcome, type RouteMatch } from "./request/match-route.js";
import type { GatewayRequest, GatewayResponse } from "./request/message.js";
import { createRequestIds } from "./request/request-id.js";
import type { OperationRunning } from "./run-operation.js";
import { spreadSeconds } from "./spread-seconds.js";
import { cancelLate, cancelStream, watchStream } from "./watch-stream.js";

export interface HttpHandler {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Returns whether the gateway answers requests to a path. The embedder answers all others. */
  serves(path: string): boolean;
}

/** A response, with what events report about it. */
interface Reply {
  readonly response: GatewayResponse;
  readonly code: ErrorCode | null;
  readonly fault: FaultCause | null;
}

/**
 * Creates the handler of all requests. Its steps are always the same: match, authenticate, throttle, parse, call,
 * render.
 */
export function createHttpHandler(
  context: GatewayContext,
  { handlers, runOperation }: OperationRunning,
  authenticators: Authenticators,
  basePaths: readonly string[],
): HttpHandler {
  const { logger, limits, random, events, tracer } = context;
  const matcher = createRouteMatcher(routes, basePaths);
  const requestIdOf = createRequestIds(random);

  function render(failure: Failure, requestId: string, headers?: Record<string, string>) {
    const seconds = waitOf(failure);
    if (seconds === undefined) return renderFailure(failure, requestId, headers);
    const spread = { "retry-after": String(spreadSeconds(random, seconds)) };
    return renderFailure(failure, requestId, { ...spread, ...headers });
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
    return runOperation(
      {
        name: match.name,
        operation: match.route,
        // The types of the table guarantee that the handler matches, but a lookup by name loses that.
        handler: handlers[match.name as keyof Handlers] as unknown as UntypedHandler,
        params: match.params,
        request,
        origin,
        caller: caller.value,
        throttled: true,
      },
      deadline,
    );
  }

  /** Answers a request. If no route matched, it does so without waiting. */
  function respond(
    match: MatchOutcome,
    request: GatewayRequest,
    requestId: string,
  ): Awaitable<Reply> {
    const fail = (failure: Failure, headers?: Record<string, string>): Reply => ({
      response: render(failure, requestId, headers),
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
      const { code, fault } = faultOf(error);
      if (fault !== null && fault !== "client_gone") {
        const { method, path } = request;
        logger.error({ requestId, method, path, err: error }, `Request failed: ${code}`);
      }
      return { response: render({ code }, requestId), code, fault };
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
      if (body instanceof JsonBytes) return response;
      const onFault = (fault: unknown) => {
        const isExpected = fault instanceof CutStreamError || fault instanceof ClientGoneError;
        const level = isExpected ? "info" : "error";
        logger[level]({ requestId, method, path, err: fault }, "A response stream was interrupted");
      };
      return { ...response, body: watchStream(body, onFault) };
    },
  };
}
