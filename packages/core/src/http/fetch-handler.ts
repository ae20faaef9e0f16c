import { toUtf8 } from "../shared/bytes.js";
import { collectPieces } from "./collect-pieces.js";
import { parseJsonBody } from "./json-body.js";
import type { GatewayRequest, GatewayResponse, JsonBody, Piece } from "./message.js";
import { awaitPiece, breakOff, giveUpOn, onCut, stallMs } from "./stall.js";

/** The part of a gateway that transports use. */
export interface RequestHandling {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
}

export interface FetchHandlerOptions {
  /** The path that the gateway is mounted at, such as `/iot`. Default: the root. */
  readonly mountPath?: string;
}

/** Reads a body of at most `limit` bytes. Cancels the rest of a longer one. */
async function readJson(request: Request, limit: number): Promise<JsonBody> {
  if (request.body === null) return { kind: "absent" };
  const pieces = collectPieces();
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > limit) return { kind: "too_large" };
      pieces.add(chunk);
    }
  } catch {
    return { kind: "malformed" };
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
 * Reads the next piece only when the client took the previous one. Gives up if the client takes nothing for a minute.
 */
function toReadable(
  pieces: AsyncIterable<Piece>,
  cut: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  let stopListening = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stopListening = onCut(cut, () => {
          clearTimeout(stalled);
          controller.error(cut?.reason);
          breakOff(iterator, cut?.reason);
        });
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
        controller.enqueue(typeof value === "string" ? toUtf8(value) : value);
        stalled = setTimeout(() => controller.error(giveUpOn(iterator)), stallMs);
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

/**
 * Handles a WHATWG request. The client's address is an argument because such a request does not contain it. Clients
 * with an unknown address (null) share one set of limits, so one of them can exhaust the limits of all (§9).
 */
export type FetchHandler = (request: Request, clientAddress: string | null) => Promise<Response>;

/** Creates a WHATWG fetch handler of a gateway, for Hono, Next, Bun, Deno, Workers and tests. */
export function toFetchHandler(
  gateway: RequestHandling,
  { mountPath = "" }: FetchHandlerOptions = {},
): FetchHandler {
  return async (request, clientAddress) => {
    const { pathname, search } = new URL(request.url);
    const isMounted = pathname.startsWith(`${mountPath}/`) || pathname === mountPath;
    if (!isMounted) return new Response(null, { status: 404 });
    const { status, headers, body, cut } = await gateway.handle({
      method: request.method,
      path: pathname.slice(mountPath.length),
      query: search.slice(1),
      clientAddress,
      header: (name) => request.headers.get(name) ?? undefined,
      json: (limit) => readJson(request, limit),
      stream: () => streamBody(request),
    });
    if (typeof body !== "string") return new Response(toReadable(body, cut), { status, headers });
    const isBodyless = body === "" || request.method === "HEAD";
    return new Response(isBodyless ? null : body, { status, headers });
  };
}
