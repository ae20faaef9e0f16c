import type { Route, RouteAnswer, RouteError, Routes } from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import type { ClientError } from "./client-error.js";
import type { ApiRouteName } from "./wire-route.js";

type ValueOf<Answer> = Answer extends { readonly stream: unknown }
  ? Response
  : Answer extends { readonly body: infer Body }
    ? Body
    : null;

/** The value of a call: the body of a JSON response, null for an empty one, a `Response` for a stream. */
export type CallValue<R extends Route> = ValueOf<RouteAnswer<R>>;

/** A pending call. Resolves to its value, or to an error with one of the route's own codes. */
export type Call<Name extends ApiRouteName> = ResultAsync<
  CallValue<Routes[Name]>,
  ClientError<RouteError<Routes[Name]>>
>;

/** Routes for one kind of caller. */
export type RouteNameOf<Kind extends "device" | "customer" | "session" | "operator"> = {
  [Name in ApiRouteName]: Routes[Name]["auth"] extends readonly [Kind] ? Name : never;
}[ApiRouteName];
