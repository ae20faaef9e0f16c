import type { Result } from "neverthrow";
import type { Operation, RouteAnswer, RouteError, Routes, SentRequest } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { CodeOperations } from "./code-operations.js";
import type { Principal, PrincipalKind } from "./principal.js";

/** Every operation of the API: the routes, and the operations that exist in code only. */
export type Operations = Routes & CodeOperations;

/** Which `auth` of an operation each kind of principal satisfies. */
interface Acceptance {
  readonly anyone: never;
  readonly device: "device";
  readonly customer: "customer" | "session";
  readonly operator: "customer" | "session" | "operator";
}

type NamesFor<Kind extends PrincipalKind> = {
  [Name in keyof Operations]: Operations[Name]["auth"] extends
    | readonly []
    | readonly [Acceptance[Kind]]
    ? Name
    : never;
}[keyof Operations];

/** Parameters are text over HTTP. In code they may also be numbers, and booleans instead of `"true"` and `"false"`. */
type Loose<Value> = string extends Value
  ? Value | number
  : "true" extends Value
    ? Value | boolean
    : Value;
type LooseFields<Fields> = { readonly [Name in keyof Fields]: Loose<Fields[Name]> };

/** What a call passes to an operation. It has only the parts that the operation has. */
export type CallRequest<O extends Operation> = {
  readonly [Part in keyof SentRequest<O>]: Part extends "params" | "query"
    ? LooseFields<SentRequest<O>[Part]>
    : Part extends "body"
      ? O["request"] extends { kind: "bytes" }
        ? Uint8Array | AsyncIterable<Uint8Array>
        : SentRequest<O>[Part]
      : SentRequest<O>[Part];
};

/** A response with the headers that HTTP would have, such as `etag` or `content-disposition`. */
export type CallAnswer<O extends Operation> = RouteAnswer<O> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** An error of an operation, with the fields of its problem document. */
export interface CallFailure<O extends Operation = Operation> extends Failure<RouteError<O>> {
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong and what to do next. */
  readonly detail: string;
  /** The thrown error, if the code is `internal` or `unavailable`. */
  readonly cause?: unknown;
}

type Call<O extends Operation> = (
  ...request: Record<never, never> extends CallRequest<O>
    ? [request?: CallRequest<O>]
    : [request: CallRequest<O>]
) => Promise<Result<CallAnswer<O>, CallFailure<O>>>;

/** One function for each operation that a kind of principal may call. None of them rejects. */
export type GatewayApi<Kind extends PrincipalKind = "operator"> = {
  readonly [Name in NamesFor<Kind>]: Call<Operations[Name]>;
};

/** How the calls of a principal appear in the audit trail, and which limits apply to them. */
export interface CallOptions {
  /** For the audit trail and logs. 1 to 128 of `A-Z a-z 0-9 . _ : -`. Default: a new id for each call. */
  readonly requestId?: string;
  /** The client's address, for the audit trail and attempt budgets. Default: unknown. */
  readonly clientAddress?: string | null;
  /** Whether calls draw from the token buckets of the principal, as requests do (§9). Default: false. */
  readonly throttled?: boolean;
}

/** Returns the operations that a principal may call. */
export type ActAs = <Kind extends PrincipalKind>(
  principal: Principal<Kind>,
  options?: CallOptions,
) => Kind extends PrincipalKind ? GatewayApi<Kind> : never;
