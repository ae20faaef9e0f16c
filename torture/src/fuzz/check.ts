import {
  Problem,
  problems,
  type Route,
  type RouteResponse,
  routes,
} from "@device-gateway/core/contract";
import type { FuzzReply, FuzzRequest } from "./message.js";

export interface Matched {
  readonly name: string;
  readonly route: Route;
}

const patterns = Object.entries(routes as Record<string, Route>).map(([name, route]) => ({
  name,
  route,
  pattern: new RegExp(
    `^${route.scope === "api" ? "/api/v1" : ""}${route.path.replaceAll(/[.]/g, "\\.").replaceAll(/:\w+/g, "[^/]+")}$`,
  ),
}));

/** Finds the route of a request, by method and path as sent. */
export function findRoute({ method, target }: FuzzRequest): Matched | null {
  const path = target.split("?", 1)[0] as string;
  const wanted = method === "HEAD" ? "GET" : method;
  return (
    patterns.find(({ route, pattern }) => route.method === wanted && pattern.test(path)) ?? null
  );
}

/** Whether an embedder's app passes this path to the gateway, even if the gateway answers 404. */
export const isOurs = ({ target }: FuzzRequest): boolean =>
  /^\/(api\/v1(\/.*)?|healthz|readyz)$/s.test(target.split("?", 1)[0] as string);

/** Codes of requests without a route. Known paths answer 405, invalid percent-encoding gets 400. */
const offRoute: readonly string[] = ["not_found", "method_not_allowed", "invalid_request"];

function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

const sorted = (value: unknown): unknown =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

function faultsOfProblem(
  { status, headers, body }: FuzzReply,
  matched: Matched | null,
  isHead: boolean,
): string[] {
  if (!headers["content-type"]?.startsWith("application/problem+json")) {
    return [`is ${status} of type ${headers["content-type"]}`];
  }
  const found: string[] = [];
  const need = (name: string) => {
    if (headers[name] === undefined) found.push(`is ${status} without ${name}`);
  };
  if (status === 401) need("www-authenticate");
  if (status === 429 || status === 503) need("retry-after");
  if (status === 405) need("allow");
  if (isHead) return found;
  const json = parseJson(body);
  const problem = json && Problem.safeParse(json.value);
  if (!problem?.success) return [...found, "is not a problem document"];
  const { code, requestId } = problem.data;
  const allowed: readonly string[] = matched?.route.errors ?? offRoute;
  if (!allowed.includes(code)) found.push(`has the code ${code}, which the route does not declare`);
  if (problems[code].status !== status || problem.data.status !== status) {
    found.push(`has the code ${code} with status ${status}`);
  }
  if (requestId !== headers["x-request-id"])
    found.push("has different request ids in header and body");
  return found;
}

function faultsOfAnswer(
  response: RouteResponse,
  { headers, body, isLive }: FuzzReply,
  isHead: boolean,
): string[] {
  const type = headers["content-type"] ?? "";
  switch (response.kind) {
    case "empty":
      return body === "" ? [] : ["has a body but must not"];
    case "stream":
      return type === response.type ? [] : [`is of type ${type}`];
    case "bytes":
      if (isLive || isHead || Number(headers["content-length"]) === body.length) return [];
      return [`has ${body.length} bytes, but Content-Length ${headers["content-length"]}`];
    case "json": {
      if (!type.startsWith("application/json")) return [`is of type ${type}`];
      if (isHead) return [];
      const json = parseJson(body);
      const parsed = json && response.schema.safeParse(json.value);
      if (!parsed?.success) return [`does not match its schema: ${parsed?.error ?? "not JSON"}`];
      return sorted(parsed.data) === sorted(json?.value) ? [] : ["has undeclared fields"];
    }
  }
}

/** Returns what is wrong with a response, judged by the route table only. */
export function faultsOf(request: FuzzRequest, reply: FuzzReply): string[] {
  const matched = findRoute(request);
  const { status } = reply;
  const isHead = request.method === "HEAD";
  const found: string[] = [];
  if (status >= 500 && request.fault === null) found.push(`is ${status}`);
  if (reply.headers["x-request-id"] === undefined) found.push("has no X-Request-Id");
  if (status >= 400) return [...found, ...faultsOfProblem(reply, matched, isHead)];
  const candidates = matched?.route.responses.filter((one) => one.status === status) ?? [];
  if (candidates.length === 0) return [...found, `is ${status}, which the route does not declare`];
  const faults = candidates.map((one) => faultsOfAnswer(one, reply, isHead));
  return faults.some((one) => one.length === 0) ? found : [...found, ...faults.flat()];
}
