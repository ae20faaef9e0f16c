import type { Caller, RouteName, Routes } from "@device-gateway/core/contract";

/** A successful response. */
export type WireAnswer =
  /** `fields` lists the required top-level fields as `name:type|type`, separated by spaces. */
  | { readonly status: number; readonly kind: "json"; readonly fields: string }
  /** `type` is the media type without parameters. */
  | { readonly status: number; readonly kind: "stream"; readonly type: string }
  | { readonly status: number; readonly kind: "bytes" | "empty" };

/** What a client needs of a route at run time. The types come from the contract. */
export interface WireRoute {
  readonly method: string;
  /** Path parameters have the form `:name`. */
  readonly path: string;
  readonly caller: Caller | "anybody";
  readonly answers: readonly WireAnswer[];
  /** The error codes of the route, separated by spaces. */
  readonly errors: string;
}

/** Routes under the base path. Health checks and metrics are not for clients. */
export type ApiRouteName = {
  [Name in RouteName]: Routes[Name]["scope"] extends "api" ? Name : never;
}[RouteName];

export type WireTable = { readonly [Name in ApiRouteName]: WireRoute };
