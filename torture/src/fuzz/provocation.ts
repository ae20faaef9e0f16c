import type { problems, RouteName, Routes } from "@device-gateway/core/contract";
import type { RequestParts } from "../samples/sample.js";
import type { FuzzScene } from "./fuzz-world.js";
import type { Fault } from "./message.js";

/** The parts of a request to a route, valid or not. */
export interface Sent extends RequestParts {
  readonly token?: string | null;
  /** Raw bytes instead of a JSON body. */
  readonly raw?: Buffer;
  readonly fault?: Fault;
}

export type Provocation = (scene: FuzzScene) => Sent | Promise<Sent>;

type SuccessOf<Name extends RouteName> = Routes[Name]["responses"][number]["status"];
type FailureOf<Name extends RouteName> =
  (typeof problems)[Routes[Name]["errors"][number]]["status"];
/** The status that a valid request usually gets. */
type PlainStatusOf<Name extends RouteName> = Routes[Name]["responses"][0]["status"];

/** A status that all routes return for the same reason. */
export type GenericStatus = 400 | 401 | 403 | 404 | 413 | 415 | 429 | 500 | 503;

/** The statuses that only some routes return, or that a route returns in its own way. */
type OwnStatusOf<Name extends RouteName> = Exclude<
  SuccessOf<Name> | FailureOf<Name>,
  GenericStatus | PlainStatusOf<Name>
>;

type Entry<Name extends RouteName> = {
  readonly [Status in OwnStatusOf<Name>]: Provocation;
} & { readonly [Status in GenericStatus | PlainStatusOf<Name>]?: Provocation };

/** Routes with a status of their own. */
type SpecialName = {
  [Name in RouteName]: [OwnStatusOf<Name>] extends [never] ? never : Name;
}[RouteName];

/**
 * How to cause the statuses that neither the route's first sample nor a generic change of the request causes. A
 * route with a status of its own does not compile until it has an entry here.
 */
export type Specials = {
  readonly [Name in SpecialName]: Entry<Name>;
} & { readonly [Name in Exclude<RouteName, SpecialName>]?: Entry<Name> };
