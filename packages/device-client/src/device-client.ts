import type {
  LoginAnswer,
  RegisterAnswer,
  Routes,
  SentRequest,
} from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import { callRoute } from "./call-route.js";
import type { ClientError } from "./client-error.js";
import { type ConnectionOptions, toTransport } from "./connection.js";
import type { Call, RouteNameOf } from "./route-types.js";

export interface DeviceClientOptions extends ConnectionOptions {
  /** A token of an earlier run. Default: none until `register` or `login`. */
  readonly token?: string;
}

/** Routes that a gateway calls with its token. */
export type DeviceRouteName = RouteNameOf<"device">;

/**
 * One gateway's side of the API, request for request: nothing is repeated and nothing kept but the
 * token of the last registration or login. `createDevice` is the one that looks after itself.
 */
export interface DeviceClient {
  readonly token: string | undefined;
  /** Registers a new gateway. Keep the `deviceSecret` of the answer: it is shown only once. */
  register(body: SentRequest<Routes["registerDevice"]>["body"]): Call<"registerDevice">;
  login(body: SentRequest<Routes["loginDevice"]>["body"]): Call<"loginDevice">;
  /** Sends one record or a batch; what is accepted is durable. With a key it is safe to repeat. */
  sendTelemetry(
    body: SentRequest<Routes["sendTelemetry"]>["body"],
    options?: { readonly idempotencyKey?: string },
  ): Call<"sendTelemetry">;
  /** Reads the configuration; null when it still is the one of `knownVersion`. */
  readConfig(options?: { readonly knownVersion?: string }): Call<"readConfig">;
  /** Calls any route of a gateway by its name in the contract. */
  call<Name extends DeviceRouteName>(name: Name, request: SentRequest<Routes[Name]>): Call<Name>;
}

export function createDeviceClient(options: DeviceClientOptions): DeviceClient {
  const transport = toTransport(options);
  let { token } = options;
  const keepToken = <Answer extends LoginAnswer | RegisterAnswer, Failure extends ClientError>(
    call: ResultAsync<Answer, Failure>,
  ) =>
    call.map((answer) => {
      token = answer.token;
      return answer;
    });
  const call: DeviceClient["call"] = (name, request) => callRoute(transport, name, request, token);

  return {
    get token() {
      return token;
    },
    register: (body) => keepToken(callRoute(transport, "registerDevice", { body })),
    login: (body) => keepToken(callRoute(transport, "loginDevice", { body })),
    sendTelemetry: (body, { idempotencyKey } = {}) =>
      call("sendTelemetry", { body, headers: { "idempotency-key": idempotencyKey } }),
    readConfig: ({ knownVersion } = {}) =>
      call("readConfig", { headers: { "if-none-match": knownVersion && `"${knownVersion}"` } }),
    call,
  };
}
