import type { FieldError } from "@device-gateway/core/contract";
import type { ClientError } from "./client-error.js";
import type { WireAnswer, WireRoute } from "./wire-route.js";

export type ReadResult =
  | { readonly kind: "value"; readonly status: number; readonly value: unknown }
  | { readonly kind: "error"; readonly error: ClientError };

/** Parses JSON. Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns whether a body has the declared fields. It may have more, for newer clients. */
function hasFields(fields: string, body: unknown): boolean {
  if (jsonTypeOf(body) !== "object") return false;
  return fields.split(" ").every((field) => {
    const [name = "", types = ""] = field.split(":");
    if (name === "") return true;
    return types.split("|").includes(jsonTypeOf((body as Record<string, unknown>)[name]));
  });
}

/** Parses Retry-After into seconds. Some proxies send a date instead of a number. */
function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - now) / 1000));
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly requestId?: unknown;
  readonly errors?: readonly FieldError[];
}

/** Returns whether a body is an error of the API. */
function isProblem(body: unknown): body is Problem {
  return hasFields("code:string detail:string", body);
}

/** Returns whether the body of a 202 acknowledges a report. A proxy may respond with JSON of its own. */
export function isAcknowledged(body: unknown): boolean {
  return hasFields("status:string", body) && (body as { status: string }).status === "accepted";
}

/** Bytes. The largest response for a device, to 500 rejected records, has about 100 KB. */
const maxDeviceBytes = 1_048_576;
/** Bytes. The largest responses are 100 records of 256 KB, if a server accepts no larger ones, and a history with 200,000 values. */
const maxUserBytes = 67_108_864;

/** Returns the largest body of a response in bytes. A stream has no limit. */
export function maxBytesOf({ caller, method }: WireRoute): number {
  // The only GET route for `anybody` is the API's description. The other routes for `anybody` are for devices.
  const isForDevice = caller === "device" || (caller === "anybody" && method !== "GET");
  return isForDevice ? maxDeviceBytes : maxUserBytes;
}

/** The part of a response that comes before its body. */
type Head = Pick<Response, "status" | "headers">;

function toError(route: WireRoute, response: Head, body: unknown, now: number): ClientError {
  const { status, headers } = response;
  const retryAfterSeconds = retryAfterOf(headers, now);
  const common = { status, ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
  if (!isProblem(body)) {
    const message = `HTTP ${status} with a body that is not from the API. Check the address.`;
    return { code: "unexpected_answer", message, ...common };
  }
  const { code, detail: message, requestId, errors } = body;
  const isOwn = route.errors.split(" ").includes(code);
  return {
    code: isOwn ? (code as ClientError["code"]) : "unexpected_answer",
    message,
    ...common,
    // A proxy's problem document may have a value of another type. It does not count as the gateway's (§0).
    ...(typeof requestId === "string" && { requestId }),
    ...(errors !== undefined && { errors }),
  };
}

const mediaTypeOf = (headers: Headers) => headers.get("content-type")?.split(";")[0]?.trim();

function isStreamOf(answer: WireAnswer, { status, headers }: Response): boolean {
  if (answer.status !== status) return false;
  return (
    answer.kind === "bytes" || (answer.kind === "stream" && answer.type === mediaTypeOf(headers))
  );
}

/** Returns whether a response is one of the route's streams, which the caller reads. */
export function isStream(route: WireRoute, response: Response): boolean {
  return route.answers.some((answer) => isStreamOf(answer, response));
}

/**
 * Reads a response that is not a stream. Returns an error unless the route declares the response. The text is null if
 * it is larger than `maxBytesOf` allows.
 */
export function readAnswer(
  route: WireRoute,
  response: Head,
  text: string | null,
  now: number,
): ReadResult {
  const { status } = response;
  if (text === null) {
    const message = `HTTP ${status} with a body of more than ${maxBytesOf(route)} bytes. Check the address.`;
    return { kind: "error", error: { ...toError(route, response, undefined, now), message } };
  }
  const body = parseJson(text);
  for (const answer of route.answers) {
    if (answer.status !== status) continue;
    if (answer.kind === "empty") return { kind: "value", status, value: null };
    if (answer.kind === "json" && hasFields(answer.fields, body)) {
      return { kind: "value", status, value: body };
    }
  }
  return { kind: "error", error: toError(route, response, body, now) };
}
