import { type Caller, type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { samplesOf } from "../../samples/samples.js";

/** An attacker's role. */
export const roles = ["nobody", "unclaimed device", "claimed device", "customer"] as const;
export type Role = (typeof roles)[number];

/** The parts of a request that a caller chooses. */
export interface SampleParts {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** An endpoint of the bundled server. */
export interface Endpoint {
  readonly name: string;
  /** Whether the gateway's or the accounts' limits, credentials and body sizes apply. */
  readonly kind: "api" | "accounts";
  readonly method: string;
  /** Path on the server; parameters are written `:name`. */
  readonly path: string;
  /** Whether the endpoint needs no credentials. */
  readonly open: boolean;
  readonly roles: readonly Role[];
  /**
   * Returns undefined if the role may call the endpoint. Otherwise returns a key, which is the same for all endpoints that
   * refuse the role with the same work.
   */
  refusal(role: Role): string | undefined;
  /** Query fields, each with a function that returns whether the server accepts a value. */
  readonly query: Readonly<Record<string, (value: string) => boolean>>;
  /** Largest accepted body in bytes. 0 if the endpoint reads no body. */
  readonly largestBody: number;
  /** Returns well-formed requests about this device. */
  samples(deviceId: string): readonly SampleParts[];
}

/** The largest body that most endpoints accept, in bytes. */
export const ordinaryBodyBytes = 16_384;

const bodyLimits = {
  bodyBytes: ordinaryBodyBytes,
  telemetryBodyBytes: 262_144,
  // An image may have 64 MiB, but only operators, who are trusted, may upload one.
  firmwareImageBytes: 65_536,
} as const;

/** Operators are trusted, so only other roles attack their routes. The server refuses these roles there. */
const rolesByCaller: Readonly<Record<Caller, readonly Role[]>> = {
  device: ["nobody", "unclaimed device", "claimed device"],
  customer: ["nobody", "customer"],
  session: ["nobody", "customer"],
  operator: ["nobody", "customer"],
};

function endpointOfRoute(name: RouteName): Endpoint {
  const { method, path, scope, auth, query, request } = routes[name] as Route;
  const [caller] = auth;
  const fields = Object.entries(query?.shape ?? {});
  return {
    name,
    kind: "api",
    method,
    path: scope === "service" ? path : `/api/v1${path}`,
    open: caller === undefined,
    roles: caller === undefined ? ["nobody"] : rolesByCaller[caller],
    refusal: (role) => {
      if (caller === undefined || (role !== "nobody" && caller !== "operator")) return undefined;
      const body = request.kind === "none" ? "none" : request.limit;
      return [role, caller, method, body].join(" ");
    },
    query: Object.fromEntries(
      fields.map(([field, schema]) => [
        field,
        (value: string) =>
          (schema as { safeParse(v: unknown): { success: boolean } }).safeParse(value).success,
      ]),
    ),
    largestBody: request.kind === "none" ? 0 : bodyLimits[request.limit],
    samples: (deviceId) => samplesOf(name).map((sample) => sample.request(deviceId)),
  };
}

/** The endpoints of the route table. */
export const routeEndpoints: readonly Endpoint[] = (Object.keys(routes) as RouteName[]).map(
  endpointOfRoute,
);
