import { ok, type Result } from "neverthrow";
import type { GatewayContext, RequestOrigin } from "../context.js";
import {
  type ParsedRequest,
  type Route,
  type RouteAnswer,
  type RouteError,
  type RouteName,
  type Routes,
  routes,
  toOpenApi,
} from "../contract/index.js";
import type { Device } from "../device/device.js";
import { loginDevice } from "../device/login-device.js";
import { registerDevice } from "../device/register-device.js";
import type { Failure } from "../failure.js";
import { ingestTelemetry } from "../telemetry/ingest-telemetry.js";
import { matchesEtag } from "./etag.js";

/** A request that was matched, authenticated and parsed. */
export interface Call<R extends Route> extends ParsedRequest<R> {
  readonly origin: RequestOrigin;
  readonly caller: R["auth"] extends readonly [] ? null : Device;
}

type WithHeaders<Answer> = Answer & { readonly headers?: Readonly<Record<string, string>> };

/** Answers a route with one of its answers or one of its own error codes. */
export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<Result<WithHeaders<RouteAnswer<R>>, Failure<RouteError<R>>>>;

export type Handlers = { readonly [Name in RouteName]: Handler<Routes[Name]> };

export interface HandlerOptions {
  readonly basePath: string;
  readonly origin: string | undefined;
}

/** Hands each route to its use case. A route without a handler does not compile. */
export function createHandlers(context: GatewayContext, options: HandlerOptions): Handlers {
  const openApi = toOpenApi(routes, options);
  const health = { status: 200, body: { status: "ok" } } as const;
  return {
    registerDevice: async ({ body, origin }) =>
      (await registerDevice(context, body, origin)).map((answer) => ({
        status: 201,
        body: answer,
      })),
    loginDevice: async ({ body, origin }) =>
      (await loginDevice(context, body, origin)).map((answer) => ({ status: 200, body: answer })),
    sendTelemetry: async ({ caller: device, body, headers }) => {
      const idempotencyKey = headers["idempotency-key"];
      const result = await ingestTelemetry(context, { device, body, idempotencyKey });
      return result.map((answer) => ({ status: 200, body: answer }));
    },
    readConfig: async ({ caller, headers }) => {
      const config = context.configLayers.effective(caller);
      const etag = `"${config.configVersion}"`;
      const caching = { etag, "cache-control": "private, no-cache" };
      return matchesEtag(headers["if-none-match"], etag)
        ? ok({ status: 304, headers: caching })
        : ok({ status: 200, body: config, headers: caching });
    },
    readOpenApi: async () => ok({ status: 200, body: openApi }),
    readLiveness: async () => ok(health),
    readReadiness: async () => {
      await context.store.ping();
      return ok(health);
    },
  };
}
