import type { z } from "zod";
import type { ErrorCode } from "./problem.js";

/**
 * Who may call a route: a device or a customer by bearer token, somebody with a dashboard session,
 * or of those an operator.
 */
export type Caller = "device" | "customer" | "session" | "operator";

/** The token buckets of contract §9 that a route can draw from. */
export type ThrottleName = "auth" | "telemetry" | "dashboard";

export type RouteRequest =
  | { readonly kind: "none" }
  | {
      readonly kind: "json";
      readonly schema: z.ZodType;
      /** Which limit of contract §9 bounds the body. */
      readonly limit: "bodyBytes" | "telemetryBodyBytes";
    }
  /** Bytes as they are, of any type, handed on as they come. */
  | { readonly kind: "bytes"; readonly limit: "firmwareImageBytes" };

export type RouteResponse =
  | {
      readonly status: 200 | 201 | 202;
      readonly kind: "json";
      readonly description: string;
      readonly schema: z.ZodType;
      /** Name and meaning of headers that the answer carries. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly status: 200;
      readonly kind: "stream";
      readonly description: string;
      /** Media type. */
      readonly type: string;
    }
  | {
      readonly status: 200 | 206;
      readonly kind: "bytes";
      readonly description: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: 204 | 304; readonly kind: "empty"; readonly description: string };

/** One operation of the API, as data. Handlers, client, OpenAPI and tests derive from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below a base path such as `/api/v1` (`api`), or at the root of the mount (`service`). */
  readonly scope: "api" | "service";
  /** Path parameters are written `:name`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Empty: anybody. */
  readonly auth: readonly [] | readonly [Caller];
  readonly throttle?: ThrottleName;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers that mean something here, by lower-case name. */
  readonly headers?: z.ZodObject;
  readonly request: RouteRequest;
  readonly responses: readonly RouteResponse[];
  readonly errors: readonly ErrorCode[];
}
