import { Problem, type SentRequest } from "@device-gateway/core/contract";
import { createMemoryStore } from "@device-gateway/store-memory";
import { describeWire, serveInProcess, type WireServer } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { callRoute } from "./call-route.js";
import { toTransport } from "./connection.js";
import { isStream } from "./read-answer.js";
import type { ApiRouteName } from "./wire-route.js";
import { wireTable } from "./wire-table.js";

const origin = "http://gateway.test";
const basePath = "/api/v1";

interface ClientCall {
  readonly name: ApiRouteName;
  readonly token: string | undefined;
  readonly request: object;
}

function findRoute(method: string, path: string) {
  for (const [name, route] of Object.entries(wireTable)) {
    const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    const match = route.method === method ? pattern.exec(path) : null;
    if (match !== null) return { name: name as ApiRouteName, params: match.groups ?? {} };
  }
  return null;
}

/** Returns the same request as a call of the client, or null if no client would send it. */
function toClientCall(path: string, init: RequestInit): ClientCall | null {
  const url = new URL(path, origin);
  if (!url.pathname.startsWith(basePath) || url.origin !== origin) return null;
  const found = findRoute(init.method ?? "GET", url.pathname.slice(basePath.length));
  if (found === null) return null;
  const {
    authorization,
    "content-type": type,
    ...headers
  } = Object.fromEntries(new Headers(init.headers));
  const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
  const query = Object.fromEntries(url.searchParams);
  try {
    const params = Object.entries(found.params).map(([name, text]) => [
      name,
      decodeURIComponent(text),
    ]);
    const text = init.body ?? undefined;
    const body: unknown = typeof text === "string" ? JSON.parse(text) : text;
    const isPlain =
      (authorization === undefined || token !== undefined) &&
      new URLSearchParams(query).size === url.searchParams.size &&
      (text === undefined || (type === "application/json" && JSON.stringify(body) === text));
    const request = { params: Object.fromEntries(params), query, headers, body };
    return isPlain ? { name: found.name, token, request } : null;
  } catch {
    return null;
  }
}

/** What the client made of a response: its value, or its error. */
interface ClientResult {
  readonly value: unknown;
  readonly error: { readonly code: string; readonly status?: number } | null;
}

/** Expects that the client's result says what the response says. */
async function compare({ value, error }: ClientResult, response: Response): Promise<void> {
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  if (error === null) {
    expect([200, 201, 202, 204, 304]).toContain(response.status);
    expect(value).toEqual(body);
  } else {
    expect(error.status).toBe(response.status);
    expect(error.code).toBe(Problem.parse(body).code);
  }
}

/** All requests, and those that the client sent and got a response to. */
const requests = { all: 0, ofClient: 0 };

/** Serves in process. Requests that the client can express go through the client. */
async function serveThroughClient(...[gateway]: Parameters<typeof serveInProcess>) {
  const direct = await serveInProcess(gateway);
  const serve: WireServer["fetch"] = async (path, init = {}) => {
    const call = toClientCall(path, init);
    requests.all += 1;
    if (call === null) return direct.fetch(path, init);
    let copy: Response | undefined;
    const transport = toTransport({
      baseUrl: origin,
      async fetch(url, sent) {
        const { signal: _, ...rest } = sent;
        // The test's own signal takes precedence.
        const request = init.signal ? { ...rest, signal: init.signal } : rest;
        const response = await direct.fetch(url.slice(origin.length), request);
        if (isStream(wireTable[call.name], response)) return response;
        const { status, headers } = response;
        const text = await response.text();
        const again = () => new Response(text === "" ? null : text, { status, headers });
        copy = again();
        return again();
      },
    });
    const request = call.request as SentRequest<never>;
    const result = await callRoute(transport, call.name as never, request, call.token);
    const value: unknown = result.isOk() ? result.value : undefined;
    const error: ClientResult["error"] = result.isErr() ? result.error : null;
    const response = value instanceof Response ? value : copy;
    if (response === undefined) {
      // The client sends nothing malformed, and gets no response if the test aborts the request.
      expect(error?.code).toBe(init.signal?.aborted === true ? "network" : "unsendable");
      return direct.fetch(path, init);
    }
    requests.ofClient += 1;
    if (response !== value) await compare({ value, error }, response.clone());
    return response;
  };
  return { ...direct, fetch: serve };
}

describeWire("the client × memory", {
  serve: serveThroughClient,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
});

test("more than half of the wire suite went through the client", () => {
  expect(requests.ofClient / requests.all).toBeGreaterThan(0.5);
});
