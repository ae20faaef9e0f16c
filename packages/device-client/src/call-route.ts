import type { RouteError, Routes, SentBytes, SentRequest } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import type { ClientError } from "./client-error.js";
import { isStream, readAnswer } from "./read-answer.js";
import { reasonOf } from "./reason-of.js";
import type { Call, CallValue } from "./route-types.js";
import type { ApiRouteName, WireRoute } from "./wire-route.js";
import { wireTable } from "./wire-table.js";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a gateway is reached. */
export interface Transport {
  readonly fetch: Fetch;
  /** Up to and including the base path, such as `https://gateway.example.com/api/v1`. */
  readonly apiUrl: string;
  /** Longest wait for an answer, in milliseconds; of a stream, for its beginning. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** JSON that has been written already, so that it goes out byte for byte as before. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface LooseRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

const present = (fields: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );

function urlOf(apiUrl: string, route: WireRoute, { params = {}, query }: LooseRequest): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(present(query)).toString();
  return apiUrl + path + (search && `?${search}`);
}

const isBytes = (body: unknown): body is SentBytes =>
  body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream;

function contentOf(body: unknown): { type: string; init: RequestInit } | null {
  if (body === undefined) return null;
  if (isBytes(body)) {
    // What is sent as it comes can't be answered before it is sent: browsers want this said.
    const streaming = body instanceof ReadableStream && { duplex: "half" };
    return { type: "application/octet-stream", init: { body, ...streaming } };
  }
  const text = body instanceof WrittenJson ? body.text : JSON.stringify(body);
  return { type: "application/json", init: { body: text } };
}

function initOf(route: WireRoute, request: LooseRequest, token: string | undefined): RequestInit {
  const content = contentOf(request.body);
  return {
    method: route.method,
    headers: {
      ...(content !== null && { "content-type": content.type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...Object.fromEntries(present(request.headers)),
    },
    ...content?.init,
  };
}

type Sent = Result<{ status: number; value: unknown }, ClientError>;

async function exchange(
  { fetch, apiUrl, now }: Transport,
  route: WireRoute,
  request: LooseRequest,
  init: RequestInit,
): Promise<Sent> {
  const response = await fetch(urlOf(apiUrl, route, request), init);
  if (isStream(route, response)) return ok({ status: response.status, value: response });
  const answered = readAnswer(route, response, await response.text(), now());
  return answered.kind === "value" ? ok(answered) : err(answered.error);
}

/** Sends one request to a route, once. */
export async function sendRequest(
  transport: Transport,
  route: WireRoute,
  request: LooseRequest,
  token?: string,
): Promise<Sent> {
  const { apiUrl, timeoutMs } = transport;
  const patience = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Raced, since a fetch of somebody's own may not listen to the signal.
  const tooLate = new Promise<never>((_, reject) => {
    // How long an upload takes, nobody knows.
    if (isBytes(request.body)) return;
    timer = setTimeout(() => {
      const reason = new Error(`nothing came for ${timeoutMs / 1000} s`);
      patience.abort(reason);
      reject(reason);
    }, timeoutMs);
  });
  try {
    const init = { ...initOf(route, request, token), signal: patience.signal };
    return await Promise.race([exchange(transport, route, request, init), tooLate]);
  } catch (fault) {
    return err({ code: "network", message: `No answer from ${apiUrl}: ${reasonOf(fault)}` });
  } finally {
    clearTimeout(timer);
  }
}

/** A bearer token, or what gives the one of now. */
export type TokenSource = string | undefined | (() => Awaitable<string | undefined>);

type Awaitable<Value> = Value | Promise<Value>;

/** The token of now. What gives it may ask a server of its own, so that it fails as a network does. */
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

/** An answer of a route: `body` as `CallValue` says. */
export interface Answer<Name extends ApiRouteName> {
  readonly status: Routes[Name]["responses"][number]["status"];
  readonly body: CallValue<Routes[Name]>;
}

/** Sends one request to a route, once, and types its answer from the contract. */
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
    const sent = await sendRequest(transport, route, request as LooseRequest, bearer.value);
    // The table is made of the contract, which is what the types say.
    return sent.map(({ status, value }) => ({ status, body: value })) as Result<
      Answer<Name>,
      ClientError<RouteError<Routes[Name]>>
    >;
  };
  return new ResultAsync(send());
}

/** Sends one request to a route, once, and gives what it answers. */
export const callRoute = <Name extends ApiRouteName>(
  transport: Transport,
  name: Name,
  request: SentRequest<Routes[Name]>,
  token?: TokenSource,
): Call<Name> => requestRoute(transport, name, request, token).map(({ body }) => body);
