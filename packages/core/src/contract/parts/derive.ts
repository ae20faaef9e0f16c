import type { z } from "zod";
import type { Operation, RouteResponse } from "./route.js";

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
/** The body that a handler receives: the value of a schema, or a stream of bytes. */
type BodyOf<R extends Operation> = R["request"] extends { kind: "bytes" }
  ? AsyncIterable<Uint8Array>
  : Output<BodySchema<R>>;
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type BodySchema<R extends Operation> = R["request"] extends { schema: infer Schema }
  ? Schema
  : undefined;
type Field<R extends Operation, Name extends keyof Operation> = R extends {
  [K in Name]: infer Schema;
}
  ? Schema
  : undefined;

/** The input of a route's handler: each part as its schema parsed it. */
export interface ParsedRequest<R extends Operation> {
  readonly params: Output<Field<R, "params">>;
  readonly query: Output<Field<R, "query">>;
  readonly headers: Output<Field<R, "headers">>;
  readonly body: BodyOf<R>;
}

/** Bytes that a client sends, whole or as a stream. */
export type SentBytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>;

type PresentParts<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] };

/** What a client sends to a route. It has only the parts that the route has. */
export type SentRequest<R extends Operation> = PresentParts<{
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

/** Every response of a route that is not an error. `status` tells them apart. */
export type RouteAnswer<R extends Operation> = AnswerOf<R["responses"][number]>;

/** The error codes that a route can return. */
export type RouteError<R extends Operation> = R["errors"][number];
