import type { Caller, RouteName, Routes } from "@device-gateway/core/contract";

/** An answer that is not an error. */
export type WireAnswer =
  /** `fields`: what it must have at its top, as `name:type|type` separated by spaces. */
  | { readonly status: number; readonly kind: "json"; readonly fields: string }
  /** `type`: its media type, without parameters. */
  | { readonly status: number; readonly kind: "stream"; readonly type: string }
  | { readonly status: number; readonly kind: "bytes" | "empty" };

/** A route as far as a client must know it at run time; the types come from the contract itself. */
export interface WireRoute {
  readonly method: string;
  /** Path parameters are written `:name`. */
  readonly path: string;
  readonly caller: Caller | "anybody";
  readonly answers: readonly WireAnswer[];
  /** The codes that it can give, separated by spaces. */
  readonly errors: string;
}

/** Routes of the API proper; health checks are not for clients. */
export type ApiRouteName = {
  [Name in RouteName]: Routes[Name]["scope"] extends "api" ? Name : never;
}[RouteName];

export type WireTable = { readonly [Name in ApiRouteName]: WireRoute };
