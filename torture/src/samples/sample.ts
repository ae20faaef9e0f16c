import type { RouteName, Routes, SentRequest } from "@device-gateway/core/contract";
import type { z } from "zod";
import type { ActorName } from "./actor-names.js";

/** The answer that a sample expects. If the code is null, any success. */
export interface Expected {
  readonly code: string | null;
  readonly status?: number;
}

/** The parts of a request to any route. */
export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A well-formed request to a route. If the route is about a device, the request is about this one. */
export interface Sample<Sent = RequestParts> {
  request(deviceId: string): Sent;
  /** What an authenticated actor gets, if something other than visibility decides. */
  answer?(actor: ActorName): Expected;
  /** Why a response may reveal whether the device exists. */
  readonly revealsDevice?: string;
}

type SampleOf<Name extends RouteName> = Sample<SentRequest<Routes[Name]>>;
type Entry<Name extends RouteName> = readonly [SampleOf<Name>, ...SampleOf<Name>[]];

type Nothing = Record<never, never>;
type AboutDevice = ReturnType<typeof about.request>;
type QueryOf<R> = R extends { readonly query: infer Query extends z.ZodType }
  ? z.input<Query>
  : Nothing;

/** Routes whose requests need nothing but a `deviceId` in the path, or nothing at all. */
type DerivedName = {
  [Name in RouteName]: Nothing extends QueryOf<Routes[Name]>
    ? Nothing extends SentRequest<Routes[Name]>
      ? Name
      : AboutDevice extends SentRequest<Routes[Name]>
        ? Name
        : never
    : never;
}[RouteName];

/**
 * Samples by route. A new route does not compile until it has one, so that it is attacked. `samplesOf` derives the
 * sample of a route whose requests need nothing but a `deviceId` in the path, or nothing at all.
 */
export type Samples = {
  readonly [Name in Exclude<RouteName, DerivedName>]: Entry<Name>;
} & { readonly [Name in DerivedName]?: Entry<Name> };

/** A request without parts. */
export const nothing = { request: () => ({}) };
/** A request about the device, without other parts. */
export const about = { request: (deviceId: string) => ({ params: { deviceId } }) };
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
