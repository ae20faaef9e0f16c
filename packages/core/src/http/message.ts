/** A request's JSON body, as far as the transport could read it. */
export type JsonBody =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /**
       * Bytes of the body, for limits that count them. Without it, and without a `Content-Length`, a body counts as
       * the largest that its route takes.
       */
      readonly length?: number;
    }
  | { readonly kind: "absent" }
  | { readonly kind: "malformed" }
  | { readonly kind: "too_large" };

/** An HTTP request as plain data: what every transport can map its own onto. */
export interface GatewayRequest {
  readonly method: string;
  /** Still percent-encoded, relative to where the gateway is mounted, without the query. */
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly query: string;
  /** The peer's address, or what trusted proxies say of it; null if unknown. */
  readonly clientAddress: string | null;
  /** A header by its lower-case name; several of one name are joined by commas. */
  header(name: string): string | undefined;
  /**
   * Reads the body, at most `limit` bytes. Called at most once, and not before the caller is
   * authenticated. A body that breaks off is `malformed`.
   */
  json(limit: number): Promise<JsonBody>;
  /**
   * The body's bytes as they come, in place of `json`. Throws a `BrokenBodyError` when the body breaks
   * off, or nothing comes for a minute. Whoever does not read to its end calls `return`.
   */
  stream(): AsyncIterable<Uint8Array>;
}

/** A piece of an answer that is written as it comes; text in UTF-8. */
export type Piece = string | Uint8Array;

/** An HTTP response as plain data. */
export interface GatewayResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Empty when there is none; a stream is written as it comes. Whoever does not read a stream to its end
   * calls `return` on its iterator, or `throw` if it has that, with a reason that is to be logged.
   */
  readonly body: string | AsyncIterable<Piece>;
  /**
   * Breaks the answer off when it aborts, also while the client takes nothing: close the connection, and
   * call `throw` on the stream's iterator with the signal's reason.
   */
  readonly cut?: AbortSignal;
}
