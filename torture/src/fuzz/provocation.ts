import type { problems, RouteName, Routes } from "@device-gateway/core/contract";
import type { FuzzScene } from "./fuzz-world.js";
import type { Fault } from "./message.js";

/** What is sent to a route; what is missing is as in the route's plain request. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly body?: unknown;
  /** In place of a body that is JSON. */
  readonly raw?: Buffer;
  readonly fault?: Fault;
}

export type Provocation = (scene: FuzzScene) => Sent | Promise<Sent>;

type SuccessOf<Name extends RouteName> = Routes[Name]["responses"][number]["status"];
type FailureOf<Name extends RouteName> =
  (typeof problems)[Routes[Name]["errors"][number]]["status"];
/** Every status that a route declares. */
export type StatusOf<Name extends RouteName> = SuccessOf<Name> | FailureOf<Name>;

/** One that any route of a kind gives in the same way. */
export type GenericStatus = 400 | 401 | 403 | 404 | 413 | 415 | 429 | 500 | 503;
