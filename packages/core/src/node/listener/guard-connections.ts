import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientAddressOf, clientSiteOf, forwardedAddress } from "./forwarded-address.js";
import { findHostFault, refuseHost } from "./host-header.js";
import { readRestSlowly } from "./read-rest-slowly.js";
import { createTurnsBySite, type PieceOfWork } from "./turns-by-site.js";

/** Limits of what one client can make a server do at one time over HTTP/1.1. */
export interface ConnectionLimits {
  /** Largest number of started requests of a connection whose response is not completely sent. Default: 8. */
  readonly inFlight?: number;
  /**
   * Largest number of pipelined requests that wait to be started. A client that sends more is disconnected. Default:
   * 64.
   */
  readonly queued?: number;
  /**
   * Number of trusted proxies in front of the server, which set X-Forwarded-For. A turn of the event loop starts at
   * most 64 requests of one client site, and no further one once those requests have run for 2 ms. While other sites
   * send requests, a site rests after each longer piece of work. Behind proxies that are not declared here, all clients
   * count as one site. Default: 0.
   */
  readonly trustedProxies?: number;
  /**
   * Returns the client's address as a framework derived it from proxy headers. It replaces `trustedProxies`. The first
   * guard of a connection decides.
   */
  readonly clientAddress?: (request: IncomingMessage) => string | null | undefined;
}

/**
 * Limits of what a turn of the event loop starts for one site. `ms` limits expensive requests, and `requests` limits
 * those that only wait. A piece of work that takes longer than `shortMs` makes its site rest.
 */
const perTurn = { requests: 64, ms: 2, shortMs: 0.5 };

interface QueuedRequest {
  readonly site: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: () => void;
}

interface Connection {
  readonly socket: Socket;
  readonly limits: Required<Pick<ConnectionLimits, "inFlight" | "queued">>;
  /** Responses of started requests, until they are sent. */
  readonly inFlight: ServerResponse[];
  /** Returns the client site of a request. Behind a proxy, a connection carries the requests of many clients. */
  readonly siteOf: (request: IncomingMessage) => string;
  /** Undefined until a request of the connection has to wait for the first time. */
  queue: QueuedRequest[] | undefined;
  /** Whether the next request of the queue waits for its site's turn. */
  isScheduled: boolean;
  /** Whether reading is stopped. */
  isHeld: boolean;
  /** Whether the connection ends with the response of a request that was refused. */
  isClosing: boolean;
}

/** Shared by all guards, so that a guard inside another one does not count a request twice. */
const connections = new WeakMap<Socket, Connection>();
const turns = createTurnsBySite(perTurn);

function toSiteOf(
  socket: Socket,
  { trustedProxies = 0, clientAddress }: ConnectionLimits,
): Connection["siteOf"] {
  if (clientAddress !== undefined) {
    return (request) => clientSiteOf(clientAddressOf(request, clientAddress(request)));
  }
  if (trustedProxies > 0)
    return (request) => clientSiteOf(forwardedAddress(request, trustedProxies));
  const site = clientSiteOf(socket.remoteAddress ?? null);
  return () => site;
}

function connectionOf({ socket }: IncomingMessage, limits: ConnectionLimits): Connection {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const { inFlight = 8, queued = 64 } = limits;
  const connection: Connection = {
    ...{ socket, limits: { inFlight, queued }, siteOf: toSiteOf(socket, limits) },
    ...{ inFlight: [], queue: undefined },
    ...{ isScheduled: false, isHeld: false, isClosing: false },
  };
  connections.set(socket, connection);
  return connection;
}

/** Creates the queue of a connection, and drops what is in it when the connection closes. */
function openQueue(connection: Connection): QueuedRequest[] {
  const queue: QueuedRequest[] = [];
  const { socket } = connection;
  // Node's parser resumes the socket after each message of the chunk that it is parsing.
  socket.on("resume", () => {
    if (connection.isHeld) socket.pause();
  });
  socket.once("close", () => queue.splice(0));
  return queue;
}

/**
 * Stops reading while more than one request is queued. Only the request that was read last can lack a part of its
 * body, and reading goes on before it is started: a started request never waits for a body that is not read. A single
 * queued request, which waits for its site's turn, costs no pause.
 */
function holdWhileQueued(connection: Connection): void {
  const wasHeld = connection.isHeld;
  connection.isHeld = connection.queue !== undefined && connection.queue.length > 1;
  if (connection.isHeld === wasHeld) return;
  if (wasHeld) connection.socket.resume();
  else connection.socket.pause();
}

function start(connection: Connection, { request, response, handle }: QueuedRequest): void {
  const { inFlight } = connection;
  inFlight.push(response);
  // It finishes when the last of its bytes is given to the system, after all responses before it.
  response.on("finish", () => {
    inFlight.splice(inFlight.indexOf(response), 1);
    if (!request.complete) readRestSlowly(request);
    if (connection.queue !== undefined) scheduleQueued(connection, connection.queue);
  });
  const fault = findHostFault(request);
  connection.isClosing = fault !== undefined;
  if (fault === undefined) handle();
  else refuseHost(request, response, fault);
}

/** Starts the next queued request in a later turn of the event loop, when it is the turn of the request's site. */
function scheduleQueued(connection: Connection, queue: QueuedRequest[]): void {
  const [next] = queue;
  if (connection.isScheduled || next === undefined) return;
  connection.isScheduled = true;
  turns.wait(next.site, () => startQueued(connection, queue));
}

function startQueued(connection: Connection, queue: QueuedRequest[]): void {
  const { socket, limits, inFlight } = connection;
  connection.isScheduled = false;
  // No further request is processed on a connection that is being closed (RFC 9112, section 9.6).
  if (connection.isClosing || !socket.writable) queue.splice(0);
  // While all places are taken, only the request whose response is sent next may start. Only its response has the
  // socket.
  const next =
    inFlight.length < limits.inFlight ? 0 : queue.findIndex((one) => one.response.socket);
  const [one] = next < 0 ? [] : queue.splice(next, 1);
  // The embedder may have answered it while it waited, for example after a timeout.
  if (one !== undefined && !one.response.writableEnded) start(connection, one);
  if (one !== undefined) scheduleQueued(connection, queue);
  holdWhileQueued(connection);
}

function enqueue(connection: Connection, one: QueuedRequest): void {
  const { socket, limits, inFlight } = connection;
  if (!socket.writable) return;
  connection.queue ??= openQueue(connection);
  const { queue } = connection;
  // Requests of one chunk may wait for their turn although fewer than allowed are in flight.
  if (inFlight.length + queue.length >= limits.inFlight + limits.queued) {
    socket.destroy();
    return;
  }
  // A queued request keeps its own asynchronous context, although the end of another request starts it.
  const context = new AsyncResource("QueuedRequest");
  queue.push({ ...one, handle: () => context.runInAsyncScope(one.handle) });
  one.response.once("socket", () => scheduleQueued(connection, queue));
  scheduleQueued(connection, queue);
  holdWhileQueued(connection);
}

/**
 * Handles a request, at once or after others of its connection. Rejects a request without exactly one Host header.
 * This is for adapters: `guardConnections` does it for a whole listener.
 *
 * @example
 * export const middleware = (request: IncomingMessage, response: ServerResponse) =>
 *   guardRequest(request, response, () => serve(request, response));
 */
export function guardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => void,
  limits: ConnectionLimits = {},
): void {
  // HTTP/2 bounds the streams of a connection by itself. A client of HTTP/1 may claim any version in its request line.
  if ("stream" in request) {
    handle();
    return;
  }
  const connection = connectionOf(request, limits);
  const { inFlight, queue } = connection;
  if (inFlight.includes(response) || response.writableEnded) {
    handle();
    return;
  }
  if (connection.isClosing || connection.socket.destroyed) return;
  const one = { site: connection.siteOf(request), request, response, handle };
  const isFree = inFlight.length < connection.limits.inFlight && !queue?.length;
  if (isFree && turns.enter(one.site)) start(connection, one);
  else enqueue(connection, one);
}

/** Returns the client site of a request. All requests that are not guarded have one site. */
export function siteOfRequest(request: IncomingMessage): string {
  const connection = connections.get(request.socket);
  return connection === undefined ? "" : connection.siteOf(request);
}

/**
 * Resolves when the client site of a guarded request may continue long work, immediately if no other site is active.
 * `done` is what the request has done since its last turn. Default: it has not begun.
 */
export async function turnOfSite(
  request: IncomingMessage,
  done: PieceOfWork = { restMs: 0, chargedMs: 0 },
): Promise<void> {
  const connection = connections.get(request.socket);
  if (connection === undefined) return;
  const site = connection.siteOf(request);
  if (turns.isContested(site))
    await new Promise<void>((resolve) => turns.goOn(site, done, resolve));
}

/**
 * Guards a request listener of `http.createServer`, such as an Express app, against clients that pipeline requests
 * and do not read the responses (RFC 9112, section 9.3.2), and against those that send many requests at once. Requests
 * of a connection are started in the order in which they arrive, and client sites take turns: an IPv4 address or an
 * IPv6 /48 network starts at most 64 requests in a turn of the event loop, and no further one once those requests have
 * run for 2 ms. While other sites send requests, a site rests for three times as long as a request that took more than
 * half a millisecond. While more than one request of a connection is queued, nothing more is read from it. Node answers
 * some requests itself, which no listener sees: use `guardServer` where you have the server.
 *
 * @example
 * const listener = guardConnections(app);
 */
export function guardConnections(
  listener: RequestListener,
  limits: ConnectionLimits = {},
): RequestListener {
  return (request, response) =>
    guardRequest(request, response, () => listener(request, response), limits);
}
