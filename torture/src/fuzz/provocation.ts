import type { problems, RouteName, Routes } from "@device-gateway/core/contract";
import type { FuzzScene } from "./fuzz-world.js";
import type { Fault } from "./message.js";

/** The parts of a request to a route. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly body?: unknown;
  /** Raw bytes instead of a JSON body. */
  readonly raw?: Buffer;
  readonly fault?: Fault;
}

export type Provocation = (scene: FuzzScene) => Sent | Promise<Sent>;

type SuccessOf<Name extends RouteName> = Routes[Name]["responses"][number]["status"];
type FailureOf<Name extends RouteName> =
  (typeof problems)[Routes[Name]["errors"][number]]["status"];
/** Every status that a route declares. */
export type StatusOf<Name extends RouteName> = SuccessOf<Name> | FailureOf<Name>;

/** A status that all routes return for the same reason. */
export type GenericStatus = 400 | 401 | 403 | 404 | 413 | 415 | 429 | 500 | 503;

/**
 * How to cause the statuses that only some routes return, or that a route returns in its own way. A route
 * with such a status does not compile until it has an entry here.
 */
export type Specials = {
  readonly [Name in RouteName]: {
    readonly [Status in Exclude<StatusOf<Name>, GenericStatus>]: Provocation;
  } & { readonly [Status in GenericStatus]?: Provocation };
};
