import type { RouteError, Routes, SentBytes, SentRequest } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import type { ClientError } from "./client-error.js";
import { findTokenFault } from "./find-token-fault.js";
import { isStream, maxBytesOf, readAnswer } from "./read-answer.js";
import { readText } from "./read-text.js";
import { reasonOf } from "./reason-of.js";
import type { Call, CallValue } from "./route-types.js";
import type { ApiRouteName, WireRoute } from "./wire-route.js";
import { wireTable } from "./wire-table.js";

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How to reach a gateway. */
export interface Transport {
  readonly fetch: Fetch;
  /** Address of the API with its base path, such as `https://gateway.example.com/api/v1`. */
  readonly apiUrl: string;
  /** Time-out of a response in milliseconds; for a stream, until it begins. */
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A body that is already serialised, so that it is repeated byte for byte. */
export class SerializedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface UntypedRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

const present = (fields: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );

function urlOf(apiUrl: string, route: WireRoute, { params = {}, query }: UntypedRequest): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(present(query)).toString();
  return apiUrl + path + (search && `?${search}`);
}

/** @throws {TypeError} if a header cannot have one of the values. */
function headersOf({ headers }: UntypedRequest): readonly [string, string][] {
  const sent = present(headers);
  const wrong = sent.find(([, value]) => !/^[ -~\u0080-\u00ff]*$/.test(value));
  if (wrong === undefined) return sent;
  throw new TypeError(`The value of ${wrong[0]} has a character that a header cannot have.`);
}

const isBytes = (body: unknown): body is SentBytes =>
  body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream;

function contentOf(body: unknown): { type: string; init: RequestInit } | null {
  if (body === undefined) return null;
  if (isBytes(body)) {
    // Browsers require `duplex` for a streamed body: the response follows after the whole request.
    const streaming = body instanceof ReadableStream && { duplex: "half" };
    return { type: "application/octet-stream", init: { body, ...streaming } };
  }
  const text = body instanceof SerializedJson ? body.text : JSON.stringify(body);
  return { type: "application/json", init: { body: text } };
}

function initOf(route: WireRoute, request: UntypedRequest, token: string | undefined): RequestInit {
  const content = contentOf(request.body);
  return {
    method: route.method,
    // A redirect to another origin would receive the body, with the claim code or the secret.
    redirect: "manual",
    headers: {
      ...(content !== null && { "content-type": content.type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...Object.fromEntries(headersOf(request)),
    },
    ...content?.init,
  };
}

type Sent = Result<{ status: number; value: unknown }, ClientError>;

interface BuiltRequest {
  readonly url: string;
  readonly init: RequestInit;
}

function buildRequest(
  { apiUrl }: Transport,
  route: WireRoute,
  request: UntypedRequest,
  token: string | undefined,
): Result<BuiltRequest, ClientError<never>> {
  const tokenFault = findTokenFault(token);
  if (tokenFault !== null) return err({ code: "unsendable", message: tokenFault });
  try {
    return ok({ url: urlOf(apiUrl, route, request), init: initOf(route, request, token) });
  } catch (fault) {
    return err({ code: "unsendable", message: `The request cannot be sent: ${reasonOf(fault)}` });
  }
}

async function exchange(
  { fetch, now }: Transport,
  route: WireRoute,
  { url, init }: BuiltRequest,
  signal: AbortSignal,
): Promise<Sent> {
  const response = await fetch(url, { ...init, signal });
  if (isStream(route, response)) return ok({ status: response.status, value: response });
  const { body } = response;
  // React Native has no streams of bodies, and some implementations of `fetch` have other ones.
  const hasStream = typeof body?.getReader === "function";
  const text = hasStream ? await readText(body, maxBytesOf(route), signal) : await response.text();
  const result = readAnswer(route, response, text, now());
  return result.kind === "value" ? ok(result) : err(result.error);
}

/** Sends one request to a route, without retries. */
export async function sendRequest(
  transport: Transport,
  route: WireRoute,
  request: UntypedRequest,
  token?: string,
): Promise<Sent> {
  const { apiUrl, timeoutMs } = transport;
  const built = buildRequest(transport, route, request, token);
  if (built.isErr()) return err(built.error);
  const timeout = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A race, because a caller's own `fetch` may ignore the signal.
  const timedOut = new Promise<never>((_, reject) => {
    // An upload may take any amount of time.
    if (isBytes(request.body)) return;
    timer = setTimeout(() => {
      const reason = new Error(`timed out after ${timeoutMs / 1000} s`);
      timeout.abort(reason);
      reject(reason);
    }, timeoutMs);
  });
  try {
    return await Promise.race([exchange(transport, route, built.value, timeout.signal), timedOut]);
  } catch (fault) {
    return err({ code: "network", message: `No response from ${apiUrl}: ${reasonOf(fault)}` });
  } finally {
    clearTimeout(timer);
  }
}

/** A bearer token, or a function that returns the current one. */
export type TokenSource = string | undefined | (() => Awaitable<string | undefined>);

type Awaitable<Value> = Value | Promise<Value>;

/**
 * Returns the current token. Its source may ask a server, so a failure counts as a network error.
 */
async function readToken(
  { apiUrl }: Transport,
  token: TokenSource,
): Promise<Result<string | undefined, ClientError<never>>> {
  try {
    return ok(typeof token === "function" ? await token() : token);
  } catch (fault) {
    return err({ code: "network", message: `No token for ${apiUrl}: ${reasonOf(fault)}` });
  }
}

/** The response of a route. `CallValue` describes its body. */
export interface Answer<Name extends ApiRouteName> {
  readonly status: Routes[Name]["responses"][number]["status"];
  readonly body: CallValue<Routes[Name]>;
}

/** Sends one request to a route, without retries. The contract gives the response its type. */
export function requestRoute<Name extends ApiRouteName>(
  transport: Transport,
  name: Name,
  request: SentRequest<Routes[Name]>,
  token?: TokenSource,
): ResultAsync<Answer<Name>, ClientError<RouteError<Routes[Name]>>> {
  const send = async () => {
    const bearer = await readToken(transport, token);
    if (bearer.isErr()) return err(bearer.error);
    const route = wireTable[name];
    const sent = await sendRequest(transport, route, request as UntypedRequest, bearer.value);
    // The table is generated from the contract, so the value has the contract's type.
    return sent.map(({ status, value }) => ({ status, body: value })) as Result<
      Answer<Name>,
      ClientError<RouteError<Routes[Name]>>
    >;
  };
  return new ResultAsync(send());
}

/** Sends one request to a route, without retries, and returns the body of the response. */
export const callRoute = <Name extends ApiRouteName>(
  transport: Transport,
  name: Name,
  request: SentRequest<Routes[Name]>,
  token?: TokenSource,
): Call<Name> => requestRoute(transport, name, request, token).map(({ body }) => body);
