import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Gateway } from "../../gateway.js";
import { ClientGoneError } from "../../http/request/client-gone-error.js";
import { collectPieces } from "../../http/request/collect-pieces.js";
import { parseJsonBody } from "../../http/request/json-body.js";
import type { GatewayRequest, GatewayResponse, JsonBody } from "../../http/request/message.js";
import { cancelStream } from "../../http/watch-stream.js";
import { JsonBytes } from "../../shared/json-bytes.js";
import { nextTurn } from "../../shared/next-turn.js";
import { endOfTurn } from "./end-of-turn.js";
import { clientAddressOf, forwardedAddress } from "./forwarded-address.js";
import { guardConnections, turnOfSite } from "./guard-connections.js";
import { toOriginForm } from "./origin-form.js";
import { createPieceMeter } from "./piece-meter.js";
import { readRestSlowly } from "./read-rest-slowly.js";
import { streamNodeBody } from "./stream-node-body.js";
import { pieceBytes, toLargeBody, writeLargeBody } from "./write-large-body.js";
import { writeStream } from "./write-stream.js";

/** A body of more bytes waits for the turn of its client's site, because it has several records. */
const smallBody = 4_096;

export interface NodeListenerOptions {
  /**
   * Number of your own proxies in front of the server that append to X-Forwarded-For. The client's address is the one
   * that the outermost of them saw. Default: 0, which ignores the header.
   */
  readonly trustedProxies?: number;
  /**
   * Answers the requests that the gateway does not serve: an Express app, Koa's `app.callback()`, Fastify's
   * `app.routing`, or any other listener of `http.createServer`. Its connections are guarded too. Default: the gateway
   * answers them with 404.
   */
  readonly otherwise?: RequestListener;
}

/** Parts of a request that a framework reads in its own way. Each part has a default. */
export interface RequestReading {
  /** Path and query relative to the mount path. */
  readonly url?: string;
  /** The path that the gateway is mounted at, such as `/iot`. */
  readonly mountPath?: string;
  /** The client's address as proxies report it. Its port is removed. If it is not an address, the peer's is used. */
  readonly clientAddress?: string | null;
  readonly json?: (limit: number) => Promise<JsonBody>;
  readonly stream?: () => AsyncIterable<Uint8Array>;
}

/**
 * Reads a request's body as JSON, at most `limit` bytes. The rest of a longer body is received slowly and discarded.
 *
 * @example
 * const json = (limit: number) => readNodeBody(request, limit);
 * const response = await gateway.handle(toGatewayRequest(request, { json }));
 */
export function readNodeBody(request: IncomingMessage, limit: number): Promise<JsonBody> {
  if (request.destroyed) return Promise.resolve({ kind: "malformed", isCut: true });
  return new Promise((resolve) => {
    const pieces = collectPieces();
    let length = 0;
    // Only the first call of `resolve` counts, so no listener has to be removed.
    const breakOff = () => request.complete || resolve({ kind: "malformed", isCut: true });
    request
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= limit) {
          pieces.add(chunk);
          return;
        }
        pieces.forget();
        readRestSlowly(request);
        resolve({ kind: "too_large" });
      })
      .on("end", () => {
        if (length > limit) return;
        const parse = () => resolve(parseJsonBody(pieces.joined()));
        if (length > smallBody) void turnOfSite(request).then(parse);
        else parse();
      })
      .on("error", breakOff)
      .on("close", breakOff);
  });
}

/**
 * Converts a request of Node to a request of the gateway.
 *
 * @example
 * const url = (request.url ?? "/").slice("/iot".length); // the gateway is mounted at /iot
 * const response = await gateway.handle(toGatewayRequest(request, { url }));
 */
export function toGatewayRequest(
  request: IncomingMessage,
  { url: target = request.url ?? "/", mountPath, clientAddress, json, stream }: RequestReading,
): GatewayRequest {
  const url = toOriginForm(target);
  const queryAt = url.indexOf("?");
  const meter = createPieceMeter();
  const checkClient = () => {
    if (!request.socket.destroyed) return;
    throw new ClientGoneError("The client disconnected before its response was ready.");
  };
  return {
    method: request.method ?? "GET",
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    ...(mountPath !== undefined && { mountPath }),
    query: queryAt < 0 ? "" : url.slice(queryAt + 1),
    clientAddress: clientAddressOf(request, clientAddress),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    json: json ?? ((limit) => readNodeBody(request, limit)),
    stream: stream ?? (() => streamNodeBody(request)),
    async turn(piece) {
      const done = meter.end(piece);
      await nextTurn();
      checkClient();
      await turnOfSite(request, done);
      checkClient();
      meter.begin();
    },
  };
}

/**
 * Writes a gateway's response, unless the client disconnected or got another response. It waits for the end of the
 * turn of the event loop, when the other requests that arrived in it are handled: responses written together wake
 * their reader once (decision 22).
 *
 * @example
 * const answer = await gateway.handle(toGatewayRequest(request, {}));
 * await writeGatewayResponse(answer, response);
 */
export async function writeGatewayResponse(
  answer: GatewayResponse,
  response: ServerResponse,
): Promise<void> {
  await endOfTurn();
  const { status, headers, body, cut } = answer;
  const isLarge = typeof body === "string" && body.length > pieceBytes;
  // Encoding it takes up to a millisecond.
  if (isLarge) await turnOfSite(response.req);
  // The embedder may have responded already, for example after a timeout.
  if (response.destroyed || response.headersSent) {
    if (typeof body !== "string") void cancelStream(body);
    return;
  }
  if (body instanceof JsonBytes) {
    response.writeHead(status, headers);
    void writeLargeBody(body, response);
    return;
  }
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    const length = Number(headers["content-length"] ?? Number.NaN);
    void writeStream(body, response, { cut, length });
    return;
  }
  // A response to HEAD has the length of the body that GET would return, or none if that is a stream of unknown length.
  const isUnknown = body === "" && response.req.method === "HEAD";
  const isBodyless = isUnknown || status === 304 || status === 204 || "content-length" in headers;
  const large = isLarge ? toLargeBody(body) : undefined;
  const bytes = large?.length ?? Buffer.byteLength(body);
  response.writeHead(
    status,
    isBodyless ? headers : { "content-length": String(bytes), ...headers },
  );
  if (large === undefined) response.end(body);
  else void writeLargeBody(large, response);
}

/**
 * Converts a gateway to a listener of `http.createServer`, the fastest way to serve it on Node. The listener guards its
 * connections, as `guardConnections` does for other listeners.
 *
 * @example
 * const gateway = await createGateway({ store, secrets, ...onNode });
 * const listener = toNodeListener(gateway, { trustedProxies: 1, otherwise: express() });
 * http.createServer(listener).listen(8080);
 */
export function toNodeListener(
  gateway: Pick<Gateway, "handle" | "serves">,
  { trustedProxies = 0, otherwise }: NodeListenerOptions = {},
): RequestListener {
  return guardConnections(
    (request, response) => {
      const clientAddress = forwardedAddress(request, trustedProxies);
      const gatewayRequest = toGatewayRequest(request, { clientAddress });
      if (otherwise !== undefined && !gateway.serves(gatewayRequest.path)) {
        otherwise(request, response);
        return;
      }
      gateway
        .handle(gatewayRequest)
        .then((answer) => writeGatewayResponse(answer, response))
        .catch(() => response.headersSent || response.destroy());
    },
    { trustedProxies },
  );
}
