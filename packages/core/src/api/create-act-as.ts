import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { type Operation, problems, routes } from "../contract/index.js";
import { useCredential } from "../device/use-credential.js";
import { withDeadline } from "../http/deadline.js";
import { faultOf } from "../http/fault-cause.js";
import type { UntypedHandler } from "../http/operation-call.js";
import type { Answer } from "../http/render.js";
import type { Caller } from "../http/request/authenticate.js";
import { createRequestIds } from "../http/request/request-id.js";
import type { OperationRunning } from "../http/run-operation.js";
import { cancelLate, watchStream } from "../http/watch-stream.js";
import type { Failure } from "../shared/failure.js";
import { JsonBytes } from "../shared/json-bytes.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { addressName } from "../throttle/address-name.js";
import { isOperator } from "../user/user.js";
import { createCodeHandlers } from "./code-handlers.js";
import { codeOperations } from "./code-operations.js";
import { cutStream } from "./cut-stream.js";
import type { ActAs, CallFailure, CallOptions } from "./gateway-api.js";
import { Principal } from "./principal.js";
import { type SentParts, textFields, toGatewayRequest } from "./to-gateway-request.js";

type UntypedCall = (sent?: SentParts) => Promise<Result<Answer, CallFailure>>;

const operations: readonly [string, Operation][] = Object.entries({ ...routes, ...codeOperations });

/** Authorises a principal by the rules of `authenticate` (§0). It depends on the principal only, not on the request. */
async function authorise(
  context: GatewayContext,
  principal: unknown,
  { auth: [required] }: Operation,
  origin: RequestOrigin,
): Promise<Result<Caller, Failure<"unauthorized" | "forbidden">>> {
  if (required === undefined) {
    return ok({ kind: "nobody", name: addressName(origin.clientAddress) });
  }
  const who = Principal.identityOf(principal);
  if (required === "device") {
    if (who?.kind !== "device") return err({ code: "unauthorized" });
    const found = await context.deviceCache.find(who.deviceId);
    if (found === null || found.revokedAt !== null) return err({ code: "unauthorized" });
    // Otherwise the registration would expire as unused (§1).
    const device = await useCredential(context, found, found.credential.epoch, origin);
    if (device === null) return err({ code: "unauthorized" });
    return ok({ kind: "device", name: device.deviceId, device });
  }
  if (who?.kind !== "user") return err({ code: "unauthorized" });
  const { user } = who;
  if (required === "operator" && !isOperator(user)) return err({ code: "forbidden" });
  return ok({ kind: "user", name: user.id, user });
}

/** Copies a body as HTTP would, so that the caller shares no object with the gateway. */
const copyBody = (body: unknown): unknown =>
  JSON.parse(body instanceof JsonBytes ? body.toText() : JSON.stringify(body));

/** Creates the calls in code: the same operations as over HTTP, without a request and its authentication. */
export function createActAs(
  context: GatewayContext,
  { handlers, unthrottledHandlers, runOperation }: OperationRunning,
): ActAs {
  const { limits, logger, random } = context;
  const codeHandlers = createCodeHandlers(context);
  const withBuckets = { ...handlers, ...codeHandlers };
  const withoutBuckets = { ...unthrottledHandlers, ...codeHandlers };
  const requestIdOf = createRequestIds(random);

  function toAnswer({ status, body, stream, cut, headers = {} }: Answer, requestId: string) {
    if (stream === undefined) {
      return body === undefined ? { status, headers } : { status, body: copyBody(body), headers };
    }
    const onFault = (fault: unknown) =>
      logger.error({ requestId, err: fault }, "A stream of a call in code was interrupted");
    return { status, stream: watchStream(cutStream(stream, cut), onFault), headers };
  }

  const toCall =
    (name: string, operation: Operation, principal: unknown, options: CallOptions): UntypedCall =>
    async (sent = {}) => {
      const { clientAddress = null, throttled = false } = options;
      const called = throttled ? withBuckets : withoutBuckets;
      const requestId = requestIdOf(options.requestId);
      const origin = { requestId, clientAddress };
      const fail = (failure: Failure, cause?: unknown): CallFailure => ({
        ...failure,
        ...problems[failure.code],
        ...(failure.refusal && { detail: failure.refusal.detail }),
        ...(cause !== undefined && { cause }),
      });
      try {
        const result = await withDeadline<Result<Answer, Failure>>(
          async (deadline) => {
            const caller = await authorise(context, principal, operation, origin);
            if (caller.isErr()) return err(caller.error);
            const call = {
              name,
              operation,
              handler: called[name as keyof typeof called] as unknown as UntypedHandler,
              params: textFields(sent.params),
              request: toGatewayRequest(sent, clientAddress),
              origin,
              caller: caller.value,
              throttled,
            };
            return runOperation(call, deadline);
          },
          limits.answerTimeoutSeconds,
          cancelLate,
        );
        return result.map((answer) => toAnswer(answer, requestId)).mapErr((error) => fail(error));
      } catch (error) {
        const { code, fault } = faultOf(error);
        if (fault !== null) {
          logger.error({ requestId, call: name, err: error }, `Call in code failed: ${code}`);
        }
        return err(fail({ code }, error));
      }
    };

  const actAs = (principal: unknown, options: CallOptions = {}) => {
    if (Principal.identityOf(principal) === undefined) {
      throw new TypeError(
        "gateway.as: pass a principal: anyone, or the result of device(), customer() or operator().",
      );
    }
    return Object.fromEntries(
      operations.map(([name, operation]) => [name, toCall(name, operation, principal, options)]),
    );
  };
  return actAs as unknown as ActAs;
}
