import type { FieldError } from "@device-gateway/core/contract";
import type { ClientError } from "./client-error.js";
import type { WireAnswer, WireRoute } from "./wire-route.js";

export type Answered =
  | { readonly kind: "value"; readonly status: number; readonly value: unknown }
  | { readonly kind: "error"; readonly error: ClientError };

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

/** Whether a body has the fields of an answer; what else it has is for newer clients to know. */
function fits(fields: string, body: unknown): boolean {
  if (jsonTypeOf(body) !== "object") return false;
  return fields.split(" ").every((field) => {
    const [name = "", types = ""] = field.split(":");
    if (name === "") return true;
    return types.split("|").includes(jsonTypeOf((body as Record<string, unknown>)[name]));
  });
}

/** Seconds of a Retry-After, which is a number or, of some proxies, a date. */
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
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
}

function isProblem(body: unknown): body is Problem {
  return fits("code:string detail:string", body);
}

function toError(route: WireRoute, response: Response, body: unknown, now: number): ClientError {
  const { status, headers } = response;
  const retryAfterSeconds = retryAfterOf(headers, now);
  const common = { status, ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
  if (!isProblem(body)) {
    const message = `HTTP ${status} with a body that the API does not give. Is the address right?`;
    return { code: "unexpected_answer", message, ...common };
  }
  const { code, detail: message, requestId, errors } = body;
  const isOwn = route.errors.split(" ").includes(code);
  return {
    code: isOwn ? (code as ClientError["code"]) : "unexpected_answer",
    message,
    ...common,
    ...(requestId !== undefined && { requestId }),
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

/** Whether an answer is a stream of the route, to be handed on unread. */
export function isStream(route: WireRoute, response: Response): boolean {
  return route.answers.some((answer) => isStreamOf(answer, response));
}

/** Reads an answer that is no stream, and tells whether it is one of the route's. */
export function readAnswer(
  route: WireRoute,
  response: Response,
  text: string,
  now: number,
): Answered {
  const { status } = response;
  const body = text === "" ? undefined : parseJson(text);
  for (const answer of route.answers) {
    if (answer.status !== status) continue;
    if (answer.kind === "empty") return { kind: "value", status, value: null };
    if (answer.kind === "json" && fits(answer.fields, body)) {
      return { kind: "value", status, value: body };
    }
  }
  return { kind: "error", error: toError(route, response, body, now) };
}
