import type { Routes, SentRequest } from "@device-gateway/core/contract";
import { type Answer, requestRoute } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { toTransport } from "../connection.js";
import type { UserRouteName } from "../user/user-client.js";
import { type CliContext, CliError, exitCodes, type Values } from "./command.js";
import { readServerUrl, sentenceOf } from "./server-url.js";

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

type ErrorWords = Readonly<Record<string, string>>;

export interface OperatorApi {
  readonly apiUrl: string;
  readonly token: string;
  /**
   * Calls a route; `words` are what a command says to some of its errors, by their code.
   * @throws {CliError} when it gets none of its answers.
   */
  call<Name extends UserRouteName>(
    name: Name,
    request: SentRequest<Routes[Name]>,
    words?: ErrorWords,
  ): Promise<Answer<Name>>;
}

/** What a person reads of a failed call, and what the exit code says. */
export function toCliError(error: ClientError, words: ErrorWords = {}): CliError {
  const { code, status, errors = [], requestId, retryAfterSeconds } = error;
  const lines = [
    code === "unauthorized"
      ? "The server does not take this token: it is expired, revoked or mistyped. Get a new one, and pass it in DEVICE_GATEWAY_TOKEN."
      : code === "forbidden"
        ? "The token is no operator's. Use the token of somebody with the operator's role."
        : (words[code] ?? sentenceOf(error)),
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
  const baseUrl = readServerUrl(url, basePath);
  const transport = toTransport({ baseUrl, basePath, fetch });
  return {
    apiUrl: transport.apiUrl,
    token,
    call: (name, request, words) =>
      requestRoute(transport, name, request, token).match(
        (answer) => answer,
        (error) => {
          throw toCliError(error, words);
        },
      ),
  };
}
