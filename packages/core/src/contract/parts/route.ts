import type { z } from "zod";
import type { ErrorCode } from "./problem.js";

/**
 * The callers that a route accepts: a device or a customer with a bearer token, a user with a dashboard session, or an operator
 * with a dashboard session.
 */
export type Caller = "device" | "customer" | "session" | "operator";

/** The token buckets that a route can draw from (§9). */
export type ThrottleName = "auth" | "telemetry" | "dashboard";

export type RouteRequest =
  | { readonly kind: "none" }
  | {
      readonly kind: "json";
      readonly schema: z.ZodType;
      /** The limit of the body's length (§9). */
      readonly limit: "bodyBytes" | "telemetryBodyBytes";
    }
  /** Raw bytes of any type, passed to the handler as a stream. */
  | { readonly kind: "bytes"; readonly limit: "firmwareImageBytes" };

export type RouteResponse =
  | {
      readonly status: 200 | 201 | 202;
      readonly kind: "json";
      readonly description: string;
      readonly schema: z.ZodType;
      /** Name and description of response headers. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly status: 200;
      readonly kind: "stream";
      readonly description: string;
      /** Media type. */
      readonly type: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly status: 200 | 206;
      readonly kind: "bytes";
      readonly description: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: 204 | 304; readonly kind: "empty"; readonly description: string };

/** An operation as data: who may call it, what it takes and what it returns. */
export interface Operation {
  readonly summary: string;
  /** Empty: no authentication. */
  readonly auth: readonly [] | readonly [Caller];
  readonly throttle?: ThrottleName;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers that the operation reads, by lower-case name. */
  readonly headers?: z.ZodObject;
  readonly request: RouteRequest;
  readonly responses: readonly RouteResponse[];
  readonly errors: readonly ErrorCode[];
}

/** An operation of the HTTP API. Handlers, client, OpenAPI document and tests are derived from it. */
export interface Route extends Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `api`: below a base path such as `/api/v1`. `service`: at the root of the mount. */
  readonly scope: "api" | "service";
  /** Path parameters are written `:name`. */
  readonly path: `/${string}`;
}
