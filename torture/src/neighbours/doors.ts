import { type Caller, type Route, type RouteName, routes } from "@device-gateway/core/contract";
import { samples } from "../authorization/samples.js";

/** Who an attacker is to the server. */
export const roles = ["nobody", "unclaimed device", "claimed device", "customer"] as const;
export type Role = (typeof roles)[number];

/** The parts of a request that a caller chooses, before they are written into a message. */
export interface SampleParts {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** An endpoint of the bundled server that attackers send requests to. */
export interface Door {
  readonly name: string;
  /** Whose limits, credentials and body size apply. */
  readonly kind: "api" | "accounts";
  readonly method: string;
  /** Path on the server; parameters are written `:name`. */
  readonly path: string;
  /** Whether the server asks for credentials at all. */
  readonly open: boolean;
  readonly roles: readonly Role[];
  /** Query fields, each with a function that says whether the server accepts a value. */
  readonly query: Readonly<Record<string, (value: string) => boolean>>;
  /** Largest body that the server accepts, in bytes. 0: it reads none. */
  readonly largestBody: number;
  /** Well-formed requests about the device of this id. */
  samples(deviceId: string): readonly SampleParts[];
}

const bodyLimits = {
  bodyBytes: 16_384,
  telemetryBodyBytes: 262_144,
  // An image may have 64 MiB, but only operators, whom the server trusts, may send one.
  firmwareImageBytes: 65_536,
} as const;

/** Operators are trusted with the service: their routes are attacked by those whom they refuse. */
const rolesByCaller: Readonly<Record<Caller, readonly Role[]>> = {
  device: ["nobody", "unclaimed device", "claimed device"],
  customer: ["nobody", "customer"],
  session: ["nobody", "customer"],
  operator: ["nobody", "customer"],
};

function doorOfRoute(name: RouteName): Door {
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
    query: Object.fromEntries(
      fields.map(([field, schema]) => [
        field,
        (value: string) =>
          (schema as { safeParse(v: unknown): { success: boolean } }).safeParse(value).success,
      ]),
    ),
    largestBody: request.kind === "none" ? 0 : bodyLimits[request.limit],
    samples: (deviceId) =>
      samples[name].map((sample) => {
        const { body, ...parts } = sample.request(deviceId) as SampleParts;
        return { ...parts, ...(body !== undefined && { body }) };
      }),
  };
}

/** One door for each entry of the route table. */
export const routeDoors: readonly Door[] = (Object.keys(routes) as RouteName[]).map(doorOfRoute);
