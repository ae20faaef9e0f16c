import { toUtf8 } from "../shared/bytes.js";
import { nextTurn } from "../shared/next-turn.js";
import type { ClientAddress } from "./request/client-address.js";
import { ClientGoneError } from "./request/client-gone-error.js";
import { collectPieces } from "./request/collect-pieces.js";
import { breakOff, giveUpOn, onCut } from "./request/end-stream.js";
import { parseJsonBody } from "./request/json-body.js";
import type { GatewayRequest, GatewayResponse, JsonBody, Piece } from "./request/message.js";
import { awaitPiece, stallMs } from "./request/stall.js";
import { cancelStream } from "./watch-stream.js";

/** The part of a gateway that transports use. */
export interface RequestHandling {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
}

export interface FetchHandlerOptions<Context extends readonly unknown[]> {
  /**
   * Returns the client's address. A WHATWG request does not contain it, so each runtime has its own way: `bunAddress`,
   * `denoAddress`, `headerAddress` or `forwardedForAddress`. Clients with an unknown address (null) share one set of
   * limits, so one of them can exhaust the limits of all (§9).
   */
  readonly clientAddress: ClientAddress<Context>;
  /** The path that the gateway is mounted at, such as `/iot`. Default: the root. */
  readonly mountPath?: string;
}

function checkOptions<Options extends FetchHandlerOptions<never>>(options: Options): Options {
  const { clientAddress, mountPath = "" } = (options ?? {}) as Partial<Options>;
  if (typeof clientAddress !== "function") {
    throw new TypeError(
      "toFetchHandler: clientAddress is missing. Pass the function for your runtime, such as bunAddress, denoAddress or forwardedForAddress(1).",
    );
  }
  if (!/^(\/[^/]+)*$/.test(mountPath)) {
    throw new TypeError(
      'toFetchHandler: mountPath is invalid. Pass a path such as "/iot", without a slash at the end.',
    );
  }
  return options;
}

/** Reads a body of at most `limit` bytes. Cancels the rest of a longer one. */
async function readJson(request: Request, limit: number): Promise<JsonBody> {
  if (request.body === null) return { kind: "absent" };
  if (request.bodyUsed || request.body.locked) {
    throw new Error(
      "Something before the gateway has read the body of the request. Mount the gateway before it.",
    );
  }
  const pieces = collectPieces();
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > limit) return { kind: "too_large" };
      pieces.add(chunk);
    }
  } catch {
    return { kind: "malformed", isCut: true };
  }
  return parseJsonBody(pieces.joined());
}

async function* streamBody({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await awaitPiece(reader.read());
      if (done) break;
      yield value;
    }
  } finally {
    // The client may have closed the stream already.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Reads the next piece only after the client has read the previous one. Gives up if the client reads nothing for a
 * minute.
 */
function toReadable(
  pieces: AsyncIterable<Piece>,
  cut: AbortSignal | undefined,
  length: number,
): ReadableStream<Uint8Array> {
  let sent = 0;
  const iterator = pieces[Symbol.asyncIterator]();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  let stopListening = () => {};
  const awaitPull = (controller: ReadableStreamDefaultController) => {
    stalled = setTimeout(() => controller.error(giveUpOn(iterator)), stallMs);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stopListening = onCut(cut, () => {
          clearTimeout(stalled);
          controller.error(cut?.reason);
          breakOff(iterator, cut?.reason);
        });
        // A runtime may drop the response without reading it.
        if (cut?.aborted !== true) awaitPull(controller);
      },
      async pull(controller) {
        clearTimeout(stalled);
        const next = await iterator.next();
        // A piece that arrives after the stream was cut is dropped.
        if (cut?.aborted) return;
        if (next.done) {
          stopListening();
          controller.close();
          return;
        }
        const { value } = next;
        const bytes = typeof value === "string" ? toUtf8(value) : value;
        controller.enqueue(bytes);
        sent += bytes.length;
        if (sent === length) {
          // Bun and Deno do not ask again after the last byte that Content-Length announced.
          await iterator.next();
          stopListening();
          controller.close();
          return;
        }
        awaitPull(controller);
      },
      async cancel() {
        clearTimeout(stalled);
        stopListening();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

type Bytes = ReadableWritablePair<Uint8Array, Uint8Array>;

/** workerd sends a Content-Length only with a stream of its class FixedLengthStream. Other runtimes do not have it. */
function withLength(stream: ReadableStream<Uint8Array>, length: number) {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => Bytes;
  };
  if (FixedLengthStream === undefined || Number.isNaN(length)) return stream;
  return stream.pipeThrough(new FixedLengthStream(length));
}

/** Handles a WHATWG request. `context` is what the runtime passes after the request. */
export type FetchHandler<Context extends readonly unknown[]> = (
  request: Request,
  ...context: Context
) => Promise<Response>;

/**
 * Creates a WHATWG fetch handler of a gateway, for Hono, Next, Bun, Deno, Workers and tests.
 * @throws {TypeError} if `clientAddress` is missing, or `mountPath` is not a path.
 * @example
 * Bun.serve({ fetch: toFetchHandler(gateway, { clientAddress: bunAddress }) });
 */
export function toFetchHandler<Context extends readonly unknown[]>(
  gateway: RequestHandling,
  options: FetchHandlerOptions<Context>,
): FetchHandler<Context> {
  const { clientAddress, mountPath = "" } = checkOptions(options);
  return async (request, ...context) => {
    const { pathname, search } = new URL(request.url);
    const isMounted = pathname.startsWith(`${mountPath}/`) || pathname === mountPath;
    if (!isMounted) return new Response(null, { status: 404 });
    const { status, headers, body, cut } = await gateway.handle({
      method: request.method,
      path: pathname.slice(mountPath.length),
      mountPath,
      query: search.slice(1),
      clientAddress: clientAddress(request, ...context),
      header: (name) => request.headers.get(name) ?? undefined,
      json: (limit) => readJson(request, limit),
      stream: () => streamBody(request),
      async turn() {
        await nextTurn();
        if (request.signal.aborted) throw new ClientGoneError("The client disconnected.");
      },
    });
    if (typeof body !== "string") {
      // Some runtimes, such as Next, drop the response to a client that is gone, without cancelling its stream.
      if (request.signal.aborted) await cancelStream(body);
      const length = Number(headers["content-length"] ?? Number.NaN);
      const stream = withLength(toReadable(body, cut, length), length);
      return new Response(stream, { status, headers });
    }
    const isBodyless = body === "" || request.method === "HEAD";
    return new Response(isBodyless ? null : body, { status, headers });
  };
}
