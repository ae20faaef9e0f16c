import type { Routes, SentRequest } from "@device-gateway/core/contract";
import { type Answer, requestRoute } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { toTransport } from "../connection.js";
import { isTransient } from "../retry.js";
import type { UserRouteName } from "../user/user-client.js";
import { type CliContext, CliError, type ExitCode, exitCodes, type Values } from "./command.js";
import { describeError, readServerUrl } from "./server-url.js";

/** The options of every command that calls a server as an operator. */
export const serverOptions = {
  url: {
    type: "string",
    value: "URL",
    help: "Address of the gateway, such as https://gateway.example.com.",
    required: true,
    variable: "DEVICE_GATEWAY_URL",
  },
  token: {
    type: "string",
    value: "TOKEN",
    help: "Token of an operator. Prefer the variable, which keeps the token out of the process list.",
    required: true,
    variable: "DEVICE_GATEWAY_TOKEN",
  },
  "base-path": {
    type: "string",
    value: "PATH",
    help: "Base path of the API.",
    default: "/api/v1",
  },
} as const;

type ErrorMessages = Readonly<Record<string, string>>;

export interface OperatorApi {
  readonly apiUrl: string;
  readonly token: string;
  /**
   * Calls a route. `messages` replaces the message of some errors, by their code.
   * @throws {CliError} if the call fails.
   */
  call<Name extends UserRouteName>(
    name: Name,
    request: SentRequest<Routes[Name]>,
    messages?: ErrorMessages,
  ): Promise<Answer<Name>>;
}

function exitCodeOf(error: ClientError): ExitCode {
  if (error.code === "unsendable") return exitCodes.usage;
  return isTransient(error) ? exitCodes.unavailable : exitCodes.refused;
}

/** Returns the message and exit code for a failed call. */
export function toCliError(error: ClientError, messages: ErrorMessages = {}): CliError {
  const { code, errors = [], requestId, retryAfterSeconds } = error;
  const lines = [
    code === "unauthorized"
      ? "The server rejected the token: it is expired, revoked or mistyped. Get a new one and pass it in DEVICE_GATEWAY_TOKEN."
      : code === "forbidden"
        ? "The token does not belong to an operator. Use the token of a user with the operator role."
        : (messages[code] ?? describeError(error)),
    ...errors.map((field) => `  ${field.path}: ${field.message}`),
    ...(retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]),
    ...(requestId === undefined ? [] : [`(${code}, request ${requestId})`]),
  ];
  return new CliError(lines.join("\n"), exitCodeOf(error));
}

/** Creates a client for the routes of an operator. @throws {CliError} if `--url` is invalid. */
export function createOperatorApi(
  { fetch }: CliContext,
  { url, token, "base-path": basePath }: Values<typeof serverOptions>,
): OperatorApi {
  const baseUrl = readServerUrl(url, basePath);
  const transport = toTransport({ baseUrl, basePath, fetch });
  return {
    apiUrl: transport.apiUrl,
    token,
    call: (name, request, messages) =>
      requestRoute(transport, name, request, token).match(
        (answer) => answer,
        (error) => {
          throw toCliError(error, messages);
        },
      ),
  };
}
