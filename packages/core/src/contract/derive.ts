import type { z } from "zod";
import type { Route, RouteResponse } from "./route.js";

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
/** What a route takes its body as: the value of a schema, or bytes as they come. */
type BodyOf<R extends Route> = R["request"] extends { kind: "bytes" }
  ? AsyncIterable<Uint8Array>
  : Output<BodySchema<R>>;
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type BodySchema<R extends Route> = R["request"] extends { schema: infer Schema }
  ? Schema
  : undefined;
type Field<R extends Route, Name extends keyof Route> = R extends { [K in Name]: infer Schema }
  ? Schema
  : undefined;

/** What a route's handler is given: every part parsed by its schema. */
export interface ParsedRequest<R extends Route> {
  readonly params: Output<Field<R, "params">>;
  readonly query: Output<Field<R, "query">>;
  readonly headers: Output<Field<R, "headers">>;
  readonly body: BodyOf<R>;
}

/** Bytes that a client sends: all at once, or as they come. */
export type SentBytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>;

type Needed<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] };

/** What a client sends to a route. Parts that the route does not have are left out. */
export type SentRequest<R extends Route> = Needed<{
  params: Input<Field<R, "params">>;
  body: R["request"] extends { kind: "bytes" } ? SentBytes : Input<BodySchema<R>>;
}> & {
  readonly query?: Input<Field<R, "query">>;
  readonly headers?: Input<Field<R, "headers">>;
};

type AnswerOf<Response extends RouteResponse> = Response extends { kind: "json" }
  ? { readonly status: Response["status"]; readonly body: z.output<Response["schema"]> }
  : Response extends { kind: "stream" }
    ? { readonly status: Response["status"]; readonly stream: AsyncIterable<string> }
    : Response extends { kind: "bytes" }
      ? { readonly status: Response["status"]; readonly stream: AsyncIterable<Uint8Array> }
      : { readonly status: Response["status"]; readonly body?: undefined };

/** Every answer of a route that is not an error, told apart by its status. */
export type RouteAnswer<R extends Route> = AnswerOf<R["responses"][number]>;

/** The codes that a route can answer with. */
export type RouteError<R extends Route> = R["errors"][number];
