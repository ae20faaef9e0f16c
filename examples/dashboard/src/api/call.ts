import type { Problem, RouteAnswer, RouteError, Routes } from "@device-gateway/core/contract";
import * as shellText from "../text/shell.js";
import { apiRoutes, type CalledRoute } from "./api-routes.js";
import { fetchInTime } from "./fetch-in-time.js";

type JsonOf<Answer> = Answer extends { readonly body: infer Content } ? Content : never;
type BodyOf<Json> = [Json] extends [never] ? undefined : Json;
/** The body of a route's response. */
export type Body<Name extends CalledRoute> = BodyOf<JsonOf<RouteAnswer<Routes[Name]>>>;

/** Why a call failed: an error code of its route, or `offline` if there was no response. */
export interface CallFailure<Code extends string = string> {
  readonly code: Code | "offline" | "unauthorized";
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

export type Reply<Value, Code extends string = string> =
  | { readonly ok: true; readonly value: Value; readonly etag: string | undefined }
  | { readonly ok: false; readonly failure: CallFailure<Code> };

export interface CallInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The failure of a read without a response. */
export const offline: CallFailure<never> = {
  code: "offline",
  message: shellText.offline,
};
/** The failure of a change without a response. The server may have received the request. */
const offlineChange: CallFailure<never> = { code: "offline", message: shellText.offlineChange };

/** Codes of failures of the server or of the connection. All others are about the request. */
const serverFailures: readonly string[] = ["offline", "internal", "unavailable"];

/** Whether a failure is of the server or of the connection. The server may have made the change all the same. */
export const isServerFailure = ({ code }: CallFailure): boolean => serverFailures.includes(code);

/** Returns the URL of a route with its parameters filled in. */
export function toUrl(path: string, { params = {}, query = {} }: CallInput = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return `/api/v1${filled}${search.size > 0 ? `?${search}` : ""}`;
}

/** Called when the session has ended, so that the page asks the user to sign in again. */
let onSignedOut = () => {};
export const setSignedOutListener = (listener: () => void) => {
  onSignedOut = listener;
};

/** Returns the failure that an error response describes. */
export async function toFailure(response: Response): Promise<CallFailure> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const wait = Number(response.headers.get("retry-after"));
  const fields = problem.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
  return {
    code: problem.code ?? "internal",
    message: [problem.detail ?? shellText.unexpectedStatus(response.status), ...fields].join(" "),
    retryAfterSeconds: Number.isFinite(wait) && wait > 0 ? wait : undefined,
  };
}

/** Calls a route of the API with the session cookie. Never rejects. */
export async function call<Name extends CalledRoute>(
  name: Name,
  input: CallInput = {},
): Promise<Reply<Body<Name>, RouteError<Routes[Name]>>> {
  const [method, path] = apiRoutes[name];
  const { body, headers = {}, signal } = input;
  try {
    const response = await fetchInTime(toUrl(path, input), {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (!response.ok) {
      const failure = (await toFailure(response)) as CallFailure<RouteError<Routes[Name]>>;
      if (failure.code === "unauthorized") onSignedOut();
      return { ok: false, failure };
    }
    const text = await response.text();
    const value = (text === "" ? undefined : JSON.parse(text)) as Body<Name>;
    return { ok: true, value, etag: response.headers.get("etag") ?? undefined };
  } catch {
    return { ok: false, failure: method === "GET" ? offline : offlineChange };
  }
}
