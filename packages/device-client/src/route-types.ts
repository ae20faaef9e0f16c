import type { Route, RouteAnswer, RouteError, Routes } from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import type { ClientError } from "./client-error.js";
import type { ApiRouteName } from "./wire-route.js";

type ValueOf<Answer> = Answer extends { readonly stream: unknown }
  ? Response
  : Answer extends { readonly body: infer Body }
    ? Body
    : null;

/** What a call gives: the body of a JSON answer, null for an empty one, a `Response` for what is streamed. */
export type CallValue<R extends Route> = ValueOf<RouteAnswer<R>>;

/** A call of a route under way: its value, or one of the route's own error codes. */
export type Call<Name extends ApiRouteName> = ResultAsync<
  CallValue<Routes[Name]>,
  ClientError<RouteError<Routes[Name]>>
>;

/** Routes that a caller of one kind may call. */
export type RouteNameOf<Kind extends "device" | "customer" | "session" | "operator"> = {
  [Name in ApiRouteName]: Routes[Name]["auth"] extends readonly [Kind] ? Name : never;
}[ApiRouteName];
