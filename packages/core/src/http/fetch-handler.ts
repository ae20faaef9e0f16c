import { toUtf8 } from "../shared/bytes.js";
import { collectPieces } from "./collect-pieces.js";
import { parseJsonBody } from "./json-body.js";
import type { GatewayRequest, GatewayResponse, JsonBody, Piece } from "./message.js";
import { awaitPiece, breakOff, giveUpOn, onCut, stallMs } from "./stall.js";

/** What the transports need of a gateway. */
export interface RequestHandling {
  handle(request: GatewayRequest): Promise<GatewayResponse>;
}

export interface FetchHandlerOptions {
  /** The path below which the gateway stands, such as `/iot`. Default: none. */
  readonly mountPath?: string;
}

/** Reads a body up to a limit, and lets go of the rest. */
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
    // The client's end may have gone before.
    await reader.cancel().catch(() => {});
  }
}

/** Asks for the next piece only when the client has taken the one before; gives up on one who does not. */
function toReadable(
  pieces: AsyncIterable<Piece>,
  cut: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  let forget = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        forget = onCut(cut, () => {
          clearTimeout(stalled);
          controller.error(cut?.reason);
          breakOff(iterator, cut?.reason);
        });
      },
      async pull(controller) {
        clearTimeout(stalled);
        const next = await iterator.next();
        // What comes after the stream was broken off goes nowhere.
        if (cut?.aborted) return;
        if (next.done) {
          forget();
          controller.close();
          return;
        }
        const { value } = next;
        controller.enqueue(typeof value === "string" ? toUtf8(value) : value);
        stalled = setTimeout(() => controller.error(giveUpOn(iterator)), stallMs);
      },
      async cancel() {
        clearTimeout(stalled);
        forget();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Answers a WHATWG request of a client at an address, which such a request does not carry. Clients
 * without one (null) share one client's limits, so that any of them can use them up for all (contract §9).
 */
export type FetchHandler = (request: Request, clientAddress: string | null) => Promise<Response>;

/** Wraps a gateway as a WHATWG fetch handler, for Hono, Next, Bun, Deno, Workers and tests. */
export function toFetchHandler(
  gateway: RequestHandling,
  { mountPath = "" }: FetchHandlerOptions = {},
): FetchHandler {
  return async (request, clientAddress) => {
    const { pathname, search } = new URL(request.url);
    const inside = pathname.startsWith(`${mountPath}/`) || pathname === mountPath;
    if (!inside) return new Response(null, { status: 404 });
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
    const bodyless = body === "" || request.method === "HEAD";
    return new Response(bodyless ? null : body, { status, headers });
  };
}
