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

/** Options of `createUserClient`. */
export interface UserClientOptions extends ConnectionOptions {
  /**
   * The user's bearer token, or a function that returns one for each call. If the function rejects, the
   * call fails with `network`. Default: none, so that a browser sends its cookies.
   */
  readonly token?: string | (() => string | Promise<string>);
}

/** The request of a route. It may be omitted if all of its parts are optional. */
type Argument<Name extends UserRouteName> =
  Record<never, never> extends SentRequest<Routes[Name]>
    ? [request?: SentRequest<Routes[Name]>]
    : [request: SentRequest<Routes[Name]>];

/** Every route for customers, dashboards and operators as a method with its name in the contract. */
export type UserClient = {
  readonly [Name in UserRouteName]: (...request: Argument<Name>) => Call<Name>;
};

/**
 * Creates a client for the routes of a user. Each call is one request without retries.
 * @throws {TypeError} if `baseUrl` is invalid.
 * @example
 * const client = createUserClient({ baseUrl: "https://gateway.example.com", token });
 * const claimed = await client.claimDevice({ body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" } });
 * if (claimed.isErr()) console.error(claimed.error.message);
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
