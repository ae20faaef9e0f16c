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

/** Options of `createDeviceClient`. */
export interface DeviceClientOptions extends ConnectionOptions {
  /** A token from an earlier run. Default: none until `register` or `login` succeeds. */
  readonly token?: string;
}

/** Routes that a device calls with its token. */
export type DeviceRouteName = RouteNameOf<"device">;

/**
 * The API of one device. Each call is one request without retries. The client keeps only the token of
 * the last registration or login. `createDevice` also signs in, retries and buffers.
 */
export interface DeviceClient {
  readonly token: string | undefined;
  /** Registers a device. Store the `deviceSecret` of the response: the server returns it only once. */
  register(body: SentRequest<Routes["registerDevice"]>["body"]): Call<"registerDevice">;
  login(body: SentRequest<Routes["loginDevice"]>["body"]): Call<"loginDevice">;
  /**
   * Sends one record or a batch. Accepted records are durable on the server. With a key, the request
   * is safe to repeat.
   */
  sendTelemetry(
    body: SentRequest<Routes["sendTelemetry"]>["body"],
    options?: { readonly idempotencyKey?: string },
  ): Call<"sendTelemetry">;
  /** Returns the configuration, or null if its version is still `knownVersion`. */
  readConfig(options?: { readonly knownVersion?: string }): Call<"readConfig">;
  /** Calls any route for devices by its name in the contract. */
  call<Name extends DeviceRouteName>(name: Name, request: SentRequest<Routes[Name]>): Call<Name>;
}

/**
 * Creates a client for the routes of one device.
 * @throws {TypeError} if `baseUrl` is invalid.
 * @example
 * const client = createDeviceClient({ baseUrl: "https://gateway.example.com" });
 * const login = await client.login({ deviceId: "gw-1", deviceSecret });
 * if (login.isOk()) await client.sendTelemetry({ temperature: 21.5 });
 */
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
