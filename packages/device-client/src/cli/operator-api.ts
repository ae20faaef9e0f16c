import type { Route, RouteAnswer, RouteError, SentRequest } from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import { callRoute } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { type CliContext, CliError, exitCodes, type Values } from "./command.js";

/** The options of every command that speaks with a server as an operator. */
export const serverOptions = {
  url: {
    type: "string",
    value: "URL",
    help: "Where the gateway is, such as https://gateway.example.com.",
    required: true,
    variable: "DEVICE_GATEWAY_URL",
  },
  token: {
    type: "string",
    value: "TOKEN",
    help: "An operator's token. The variable keeps it out of the list of processes.",
    required: true,
    variable: "DEVICE_GATEWAY_TOKEN",
  },
  "base-path": {
    type: "string",
    value: "PATH",
    help: "What the API's paths begin with.",
    default: "/api/v1",
  },
} as const;

export interface OperatorApi {
  readonly apiUrl: string;
  readonly token: string;
  /** Calls a route. @throws {CliError} when it gets none of its answers. */
  call<R extends Route>(route: R, request: SentRequest<R>): Promise<RouteAnswer<R>>;
}

function apiUrlOf(url: string, basePath: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new CliError(
      `--url: "${url}" is no http or https address. Give one such as https://gateway.example.com`,
      exitCodes.usage,
    );
  }
  return url.replace(/\/+$/, "") + basePath;
}

/** What a person reads of a failed call, and what the exit code says. */
export function toCliError(error: ClientError): CliError {
  const { code, message, status, errors = [], requestId, retryAfterSeconds } = error;
  const lines = [
    code === "unauthorized"
      ? "The server does not take this token: it is expired, revoked or mistyped. Get a new one, and pass it in DEVICE_GATEWAY_TOKEN."
      : code === "forbidden"
        ? "The token is no operator's. Use the token of somebody with the operator's role."
        : message,
    ...errors.map((field) => `  ${field.path}: ${field.message}`),
    ...(retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]),
    ...(requestId === undefined ? [] : [`(${code}, request ${requestId})`]),
  ];
  const passes = status === undefined || status === 429 || status >= 500;
  return new CliError(lines.join("\n"), passes ? exitCodes.unavailable : exitCodes.refused);
}

/** The API as an operator uses it. @throws {CliError} when the options make no address. */
export function createOperatorApi(
  { fetch }: CliContext,
  { url, token, "base-path": basePath }: Values<typeof serverOptions>,
): OperatorApi {
  const apiUrl = apiUrlOf(url, basePath);
  return {
    apiUrl,
    token,
    async call<R extends Route>(route: R, request: SentRequest<R>) {
      const answer: ResultAsync<RouteAnswer<R>, ClientError<RouteError<R>>> = callRoute(
        { fetch, apiUrl },
        route,
        request,
        token,
      );
      return answer.match(
        (value) => value,
        (error) => {
          throw toCliError(error);
        },
      );
    },
  };
}
