import type { Routes, SentRequest } from "@device-gateway/core/contract";
import { callRoute } from "../call-route.js";
import { type ConnectionOptions, toTransport } from "../connection.js";
import type { Call, RouteNameOf } from "../route-types.js";
import { wireTable } from "../wire-table.js";

/** Routes that customers, dashboards and operators call. */
export type UserRouteName =
  | RouteNameOf<"customer">
  | RouteNameOf<"session">
  | RouteNameOf<"operator">;

export interface UserClientOptions extends ConnectionOptions {
  /**
   * The user's bearer token, or what gives one for each call: when that rejects, the call fails with
   * `network`. Default: the browser's own cookies.
   */
  readonly token?: string | (() => string | Promise<string>);
}

/** A part of a request that is there if the route has one; it may be left out when all of it may. */
type Argument<Name extends UserRouteName> =
  Record<never, never> extends SentRequest<Routes[Name]>
    ? [request?: SentRequest<Routes[Name]>]
    : [request: SentRequest<Routes[Name]>];

/** Every route of a customer, a dashboard or an operator, as a method named as in the contract. */
export type UserClient = {
  readonly [Name in UserRouteName]: (...request: Argument<Name>) => Call<Name>;
};

/**
 * Creates the API's side of a user, such as `client.claimDevice({ body: { deviceId, claimCode } })`.
 * Each call is one request: nothing is repeated.
 */
export function createUserClient({ token, ...connection }: UserClientOptions): UserClient {
  const transport = toTransport(connection);
  const names = Object.entries(wireTable).flatMap(([name, { caller }]) =>
    caller === "anybody" || caller === "device" ? [] : [name as UserRouteName],
  );
  const method =
    (name: UserRouteName) =>
    (request: object = {}) =>
      callRoute(transport, name, request as SentRequest<Routes[UserRouteName]>, token);
  return Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as UserClient;
}
