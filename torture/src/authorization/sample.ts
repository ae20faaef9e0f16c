import type { RouteName, Routes, SentRequest } from "@device-gateway/core/contract";
import type { ActorName } from "./actors.js";

/** The answer that a sample expects. If the code is null, any success. */
export interface Expected {
  readonly code: string | null;
  readonly status?: number;
}

/** A well-formed request to a route. If the route is about a device, the request is about this one. */
export interface Sample<Name extends RouteName> {
  request(deviceId: string): SentRequest<Routes[Name]>;
  /** What an authenticated actor gets, if something other than visibility decides. */
  answer?(actor: ActorName): Expected;
  /** Why a response may reveal whether the device exists. */
  readonly revealsDevice?: string;
}

/** Requests for every route. A new route does not compile until it has one, so that it is attacked. */
export type Samples = {
  readonly [Name in RouteName]: readonly [Sample<Name>, ...Sample<Name>[]];
};

/** A request without parts. */
export const nothing = { request: () => ({}) };
/** The same refusal for every actor. */
export const refused = (status: number, code: string) => () => ({ status, code });
/** Operators succeed. Others get 403. */
export const operatorsOnly = (actor: ActorName): Expected =>
  actor.startsWith("operator") ? { code: null } : { code: "forbidden", status: 403 };
/** A request for what belongs to the operators. */
export const ofOperators = {
  request: () => ({ query: { scope: "operator" as const } }),
  answer: operatorsOnly,
};
