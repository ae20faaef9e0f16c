import {
  Problem,
  type Route,
  type RouteAnswer,
  type RouteError,
  type SentRequest,
} from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import type { ClientError } from "./client-error.js";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Transport {
  readonly fetch: Fetch;
  /** Up to and including the base path, such as `https://gateway.example.com/api/v1`. */
  readonly apiUrl: string;
}

interface LooseRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

const present = (fields: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );

function urlOf(apiUrl: string, route: Route, { params = {}, query }: LooseRequest): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(present(query)).toString();
  return apiUrl + path + (search && `?${search}`);
}

function initOf(route: Route, { headers, body }: LooseRequest, token?: string): RequestInit {
  return {
    method: route.method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...Object.fromEntries(present(headers)),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(response: Response, body: unknown): ClientError {
  const { status } = response;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const waiting = Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {};
  const problem = Problem.safeParse(body);
  if (!problem.success) {
    const message = `HTTP ${status} with a body that the API does not give. Is the address right?`;
    return { code: "unexpected_answer", message, status, ...waiting };
  }
  const { code, detail, requestId, errors } = problem.data;
  return { code, message: detail, status, requestId, ...(errors && { errors }), ...waiting };
}

async function call(
  { fetch, apiUrl }: Transport,
  route: Route,
  request: LooseRequest,
  token?: string,
): Promise<Result<{ status: number; body?: unknown }, ClientError>> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(urlOf(apiUrl, route, request), initOf(route, request, token));
    text = await response.text();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    return err({ code: "network", message: `No answer from ${apiUrl}: ${reason}` });
  }
  const { status } = response;
  const body = text === "" ? undefined : parseJson(text);
  const expected = route.responses.find((candidate) => candidate.status === status);
  if (expected?.kind === "empty") return ok({ status });
  const parsed = expected?.kind === "json" ? expected.schema.safeParse(body) : undefined;
  return parsed?.success ? ok({ status, body: parsed.data }) : err(errorOf(response, body));
}

/** Sends one request to a route and types what comes back from the contract. */
export function callRoute<R extends Route>(
  transport: Transport,
  route: R,
  request: SentRequest<R>,
  token?: string,
): ResultAsync<RouteAnswer<R>, ClientError<RouteError<R>>> {
  const result = call(transport, route, request as LooseRequest, token);
  return new ResultAsync(result as Promise<Result<RouteAnswer<R>, ClientError<RouteError<R>>>>);
}
