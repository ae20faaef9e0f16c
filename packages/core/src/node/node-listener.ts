import type { IncomingMessage, ServerResponse } from "node:http";
import { collectPieces } from "../http/collect-pieces.js";
import type { RequestHandling } from "../http/fetch-handler.js";
import { parseJsonBody } from "../http/json-body.js";
import type { GatewayRequest, GatewayResponse, JsonBody } from "../http/message.js";
import { cancelStream } from "../http/watch-stream.js";
import { endOfTurn } from "./end-of-turn.js";
import { clientAddressOf, forwardedAddress } from "./forwarded-address.js";
import { guardConnections } from "./guard-connections.js";
import { streamNodeBody } from "./stream-node-body.js";
import { pieceBytes, writeLargeBody } from "./write-large-body.js";
import { writeStream } from "./write-stream.js";

export interface NodeListenerOptions {
  /**
   * How many proxies of yours stand in front and append to X-Forwarded-For; the client's address
   * is what the outermost of them saw. Default: 0, the header is not believed.
   */
  readonly trustedProxies?: number;
}

/** How a framework changes the way in which a request is read. Each part has a default. */
export interface RequestReading {
  /** Path and query relative to where the gateway is mounted. */
  readonly url?: string;
  /** The client's address as proxies report it. A port is left out; what is no address is the peer's. */
  readonly clientAddress?: string | null;
  readonly json?: (limit: number) => Promise<JsonBody>;
  readonly stream?: () => AsyncIterable<Uint8Array>;
}

/** Reads a request's body, at most `limit` bytes; what is beyond is let run out unread. */
export function readNodeBody(request: IncomingMessage, limit: number): Promise<JsonBody> {
  if (request.destroyed) return Promise.resolve({ kind: "malformed" });
  return new Promise((resolve) => {
    const pieces = collectPieces();
    let length = 0;
    // What comes after the first word about a body changes nothing: no listener has to be taken off.
    const breakOff = () => resolve({ kind: "malformed" });
    request
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= limit) {
          pieces.add(chunk);
          return;
        }
        pieces.forget();
        resolve({ kind: "too_large" });
      })
      .on("end", () => {
        if (length <= limit) resolve(parseJsonBody(pieces.joined()));
      })
      .on("error", breakOff)
      .on("close", breakOff);
  });
}

/** Maps a request of Node's onto the gateway's. */
export function toGatewayRequest(
  request: IncomingMessage,
  { url = request.url ?? "/", clientAddress, json, stream }: RequestReading,
): GatewayRequest {
  const queryAt = url.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: queryAt < 0 ? "" : url.slice(queryAt + 1),
    clientAddress: clientAddressOf(request, clientAddress),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    json: json ?? ((limit) => readNodeBody(request, limit)),
    stream: stream ?? (() => streamNodeBody(request)),
  };
}

/**
 * Writes a gateway's answer, unless the client has gone or has another: when the requests that came with its own have been
 * seen to. Answers in a row find their reader awake, which each by itself would wake (decision 22).
 */
export async function writeGatewayResponse(
  answer: GatewayResponse,
  response: ServerResponse,
): Promise<void> {
  await endOfTurn();
  const { status, headers, body, cut } = answer;
  // Somebody may have answered already, as an embedder's time-out does.
  if (response.destroyed || response.headersSent) {
    if (typeof body !== "string") void cancelStream(body);
    return;
  }
  if (typeof body !== "string") {
    response.writeHead(status, headers);
    void writeStream(body, response, cut);
    return;
  }
  // A length that is there already is that of what a HEAD request asks about.
  const bodyless = status === 304 || status === 204 || "content-length" in headers;
  const bytes = Buffer.byteLength(body);
  response.writeHead(status, bodyless ? headers : { "content-length": String(bytes), ...headers });
  if (bytes > pieceBytes) void writeLargeBody(Buffer.from(body), response);
  else response.end(body);
}

/**
 * Makes a gateway a listener of `http.createServer`: the fastest way to serve it on Node. It guards its connections
 * itself, as `guardConnections` does for other listeners.
 */
export function toNodeListener(
  gateway: RequestHandling,
  { trustedProxies = 0 }: NodeListenerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return guardConnections((request, response) => {
    const clientAddress = forwardedAddress(request, trustedProxies);
    gateway
      .handle(toGatewayRequest(request, { clientAddress }))
      .then((answer) => writeGatewayResponse(answer, response))
      .catch(() => response.headersSent || response.destroy());
  });
}
