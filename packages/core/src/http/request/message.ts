import type { Turn } from "../../shared/turn.js";

/** The result of reading a request's JSON body. */
export type JsonBody =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /**
       * Length of the body in bytes, for limits that count bytes. If it is missing and the request has no
       * `Content-Length`, the body counts as the largest that its route accepts.
       */
      readonly length?: number;
    }
  | { readonly kind: "absent" }
  | {
      readonly kind: "malformed";
      /** Whether the connection ended before the body did. */
      readonly isCut?: boolean;
    }
  | { readonly kind: "too_large" };

/** An HTTP request as plain data. Every transport maps its own request to it. */
export interface GatewayRequest {
  readonly method: string;
  /** Percent-encoded, relative to the mount path, without the query. */
  readonly path: string;
  /** The path that the gateway is mounted at, such as `/iot`, if the transport knows it. Empty: the root. */
  readonly mountPath?: string;
  /** The query string without the question mark, empty if there is none. */
  readonly query: string;
  /** The peer's address, or the address that trusted proxies report. Null if unknown. */
  readonly clientAddress: string | null;
  /** Returns a header by its lower-case name. Several headers of one name are joined by commas. */
  header(name: string): string | undefined;
  /**
   * Reads the body, at most `limit` bytes. It is called at most once, and only after the caller is authenticated. A
   * body that breaks off is `malformed` with `isCut`.
   */
  json(limit: number): Promise<JsonBody>;
  /**
   * Returns the body as a stream of bytes; an alternative to `json`. It throws a `BrokenBodyError` if the body breaks
   * off, or if nothing arrives for a minute. A reader that does not read to the end must call `return`.
   */
  stream(): AsyncIterable<Uint8Array>;
  /**
   * Resolves when the request may continue long work. The gateway calls it between pieces of a few milliseconds. It
   * rejects with a `ClientGoneError` if the client disconnected. Its argument says whether the finished piece is charged
   * to the client, and may be ignored. Default: resolves in the next turn of the event loop.
   */
  readonly turn?: Turn;
}

/** A piece of a streamed body. Text is written in UTF-8. */
export type Piece = string | Uint8Array;

/** An HTTP response as plain data. */
export interface GatewayResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, empty if there is none. A stream is written piece by piece. A transport that does not read it to the
   * end must call `return` on its iterator, or `throw`, if the iterator has it, with the reason to log.
   */
  readonly body: string | AsyncIterable<Piece>;
  /**
   * When this signal aborts, the transport must close the connection, even while the client takes nothing, and call
   * `throw` on the stream's iterator with the signal's reason.
   */
  readonly cut?: AbortSignal;
}
