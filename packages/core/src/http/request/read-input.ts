import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { Operation } from "../../contract/index.js";
import type { Limits } from "../../limits.js";
import type { Awaitable } from "../../shared/awaitable.js";
import type { Failure } from "../../shared/failure.js";
import { toFieldErrors } from "../../shared/field-errors.js";
import { nextTurn } from "../../shared/next-turn.js";
import type { GatewayRequest, JsonBody } from "./message.js";

/** The parts of a request, each parsed by its schema. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

type InputFailure = Failure<
  "invalid_request" | "malformed_json" | "payload_too_large" | "unsupported_media_type"
>;

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i;
const charset = /^charset\b/i;
const utf8 = /^charset="?utf-8"?$/i;

/**
 * Returns whether the body is JSON in UTF-8. Parameters may be empty (RFC 9110, 5.6.6); all except the charset are
 * ignored.
 */
function isJson(request: GatewayRequest): boolean {
  const value = request.header("content-type");
  if (value === undefined || value === "") return true;
  const [type = "", ...parameters] = value.split(";").map((part) => part.trim());
  return jsonType.test(type) && parameters.every((each) => !charset.test(each) || utf8.test(each));
}

function isEncoded(request: GatewayRequest): boolean {
  const encoding = request.header("content-encoding");
  return encoding !== undefined && encoding !== "identity";
}

function headersOf({ headers }: Operation, request: GatewayRequest): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in headers?.shape) {
    // Range is defined for GET only (RFC 9110, section 14.2).
    const isIgnored = name === "range" && request.method === "HEAD";
    if (!isIgnored) values[name] = request.header(name);
  }
  return values;
}

/** Length in bytes from which a body is checked in a turn of its own. It then takes milliseconds. */
const largeBody = 65_536;

interface ReadBody {
  readonly value: unknown;
  /** In bytes. Undefined if the transport did not count them. */
  readonly length: number | undefined;
}

const noBody: ReadBody = { value: undefined, length: 0 };

function toRead(body: JsonBody): Result<ReadBody, InputFailure> {
  switch (body.kind) {
    case "value":
      return ok({ value: body.value, length: body.length });
    case "absent":
      return ok(noBody);
    case "malformed":
      return err({ code: "malformed_json", isCut: body.isCut === true });
    case "too_large":
      return err({ code: "payload_too_large" });
  }
}

async function readBody(
  route: Operation,
  request: GatewayRequest,
  limits: Limits,
): Promise<Result<ReadBody, InputFailure>> {
  if (route.request.kind === "none") return ok(noBody);
  const limit = limits[route.request.limit];
  if (isEncoded(request)) return err({ code: "unsupported_media_type" });
  if (route.request.kind === "json" && !isJson(request)) {
    return err({ code: "unsupported_media_type" });
  }
  if (Number(request.header("content-length") ?? 0) > limit) {
    return err({ code: "payload_too_large" });
  }
  // The route's handler reads it.
  if (route.request.kind === "bytes") return ok(noBody);
  const body = toRead(await request.json(limit));
  // Several large bodies may arrive in one turn of the event loop.
  if (body.isOk() && (body.value.length ?? 0) > largeBody) await nextTurn();
  return body;
}

/**
 * Reads the parts of a request that its route declares, and validates each with its schema. `onBody` gets the length of
 * a JSON body in bytes, before it is validated.
 */
export async function readInput(
  route: Operation,
  params: Readonly<Record<string, string>>,
  request: GatewayRequest,
  limits: Limits,
  onBody: ((length: number) => Awaitable<void>) | undefined,
): Promise<Result<Input, InputFailure>> {
  const body = await readBody(route, request, limits);
  if (body.isErr()) return err(body.error);
  if (onBody !== undefined && body.value.length !== undefined) await onBody(body.value.length);

  let problem: InputFailure | undefined;
  const check = (schema: z.ZodType | undefined, read: () => unknown): unknown => {
    if (schema === undefined || problem !== undefined) return undefined;
    const parsed = schema.safeParse(read());
    if (parsed.success) return parsed.data;
    problem = { code: "invalid_request", errors: toFieldErrors(parsed.error) };
    return undefined;
  };
  const input: Input = {
    params: check(route.params, () => params),
    query: check(route.query, () => Object.fromEntries(new URLSearchParams(request.query))),
    headers: check(route.headers, () => headersOf(route, request)),
    body: check(
      route.request.kind === "json" ? route.request.schema : undefined,
      () => body.value.value,
    ),
  };
  return problem === undefined ? ok(input) : err(problem);
}
