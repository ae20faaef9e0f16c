import {
  type DeviceConfig,
  type LoginAnswer,
  type RegisterAnswer,
  type RouteError,
  type Routes,
  routes,
  type SentRequest,
  type TelemetryAnswer,
} from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import { callRoute, type Fetch } from "./call-route.js";
import type { ClientError } from "./client-error.js";

export interface DeviceClientOptions {
  /** Where the gateway is mounted, such as `https://gateway.example.com`. */
  readonly baseUrl: string;
  /** Default: `/api/v1`. */
  readonly basePath?: string;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** A token of an earlier run. Default: none until `register` or `login`. */
  readonly token?: string;
}

type Call<Name extends keyof Routes, Value> = ResultAsync<
  Value,
  ClientError<RouteError<Routes[Name]>>
>;

/** One gateway's side of the API. It holds the token of its last registration or login. */
export interface DeviceClient {
  readonly token: string | undefined;
  /** Registers a new gateway. Keep the `deviceSecret` of the answer: it is shown only once. */
  register(
    body: SentRequest<Routes["registerDevice"]>["body"],
  ): Call<"registerDevice", RegisterAnswer>;
  login(body: SentRequest<Routes["loginDevice"]>["body"]): Call<"loginDevice", LoginAnswer>;
  /** Sends one record or a batch; what is accepted is durable. With a key it is safe to repeat. */
  sendTelemetry(
    body: SentRequest<Routes["sendTelemetry"]>["body"],
    options?: { readonly idempotencyKey?: string },
  ): Call<"sendTelemetry", TelemetryAnswer>;
  /** Reads the configuration; null when it still is the one of `knownVersion`. */
  readConfig(options?: { readonly knownVersion?: string }): Call<"readConfig", DeviceConfig | null>;
}

export function createDeviceClient(options: DeviceClientOptions): DeviceClient {
  const transport = {
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    apiUrl: options.baseUrl.replace(/\/+$/, "") + (options.basePath ?? "/api/v1"),
  };
  let { token } = options;
  const keepToken = <Answer extends { token: string }>(answer: Answer): Answer => {
    token = answer.token;
    return answer;
  };

  return {
    get token() {
      return token;
    },
    register: (body) =>
      callRoute(transport, routes.registerDevice, { body }).map((answer) => keepToken(answer.body)),
    login: (body) =>
      callRoute(transport, routes.loginDevice, { body }).map((answer) => keepToken(answer.body)),
    sendTelemetry(body, { idempotencyKey } = {}) {
      const headers = { "idempotency-key": idempotencyKey };
      return callRoute(transport, routes.sendTelemetry, { body, headers }, token).map(
        (answer) => answer.body,
      );
    },
    readConfig({ knownVersion } = {}) {
      const headers = { "if-none-match": knownVersion && `"${knownVersion}"` };
      return callRoute(transport, routes.readConfig, { headers }, token).map((answer) =>
        answer.status === 304 ? null : answer.body,
      );
    },
  };
}
