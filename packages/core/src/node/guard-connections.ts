import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refuseRepeatedHost, repeatsHost } from "./repeated-host.js";

/** Limits of what one HTTP/1.1 connection can make a server do at one time. */
export interface ConnectionLimits {
  /**
   * Largest number of started requests whose response is not completely sent, and of requests that one turn of the
   * event loop starts. Default: 8.
   */
  readonly inFlight?: number;
  /**
   * Largest number of pipelined requests that wait to be started. A client that sends more is disconnected. Default:
   * 64.
   */
  readonly queued?: number;
}

interface QueuedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: () => void;
}

interface Connection {
  readonly socket: Socket;
  readonly limits: Required<ConnectionLimits>;
  /** Responses of started requests, until they are sent. */
  readonly inFlight: ServerResponse[];
  /** Number of requests that were started in this turn of the event loop. */
  startedInTurn: number;
  /** Absent until the client sends more requests than may be in flight. */
  queue: QueuedRequest[] | undefined;
  /** Whether the next request of the queue is started in the next turn of the event loop. */
  isScheduled: boolean;
  /** Whether reading is stopped. */
  isHeld: boolean;
  /** Whether the connection ends with the response of a request that was refused. */
  isClosing: boolean;
}

/** Shared by all guards, so that a guard inside another one does not count a request twice. */
const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket, { inFlight = 8, queued = 64 }: ConnectionLimits): Connection {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const limits = { inFlight, queued };
  const connection: Connection = {
    ...{ socket, limits, inFlight: [], startedInTurn: 0, queue: undefined },
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
 * Stops reading while requests are queued. Only the request that was read last can lack a part of its body, and
 * nothing is queued once it is started: a started request never waits for a body that is not read.
 */
function holdWhileQueued(connection: Connection): void {
  const wasHeld = connection.isHeld;
  connection.isHeld = connection.queue !== undefined && connection.queue.length > 0;
  if (connection.isHeld === wasHeld) return;
  if (wasHeld) connection.socket.resume();
  else connection.socket.pause();
}

function endTurn(connection: Connection): void {
  connection.startedInTurn = 0;
}

function start(connection: Connection, { request, response, handle }: QueuedRequest): void {
  const { inFlight } = connection;
  if (connection.startedInTurn === 0) setImmediate(endTurn, connection);
  connection.startedInTurn += 1;
  inFlight.push(response);
  // It finishes when the last of its bytes is given to the system, after all responses before it.
  response.on("finish", () => {
    inFlight.splice(inFlight.indexOf(response), 1);
    if (connection.queue !== undefined) scheduleQueued(connection, connection.queue);
  });
  connection.isClosing = repeatsHost(request);
  if (connection.isClosing) refuseRepeatedHost(request, response);
  else handle();
}

/**
 * Starts one queued request in the next turn of the event loop. Each turn thus has time for other connections, even if
 * requests are answered at once.
 */
function scheduleQueued(connection: Connection, queue: QueuedRequest[]): void {
  if (connection.isScheduled) return;
  connection.isScheduled = true;
  setImmediate(startQueued, connection, queue);
}

function startQueued(connection: Connection, queue: QueuedRequest[]): void {
  const { socket, limits, inFlight } = connection;
  connection.isScheduled = false;
  // No further request is processed on a connection that is being closed (RFC 9112, section 9.6).
  if (connection.isClosing || !socket.writable) queue.splice(0);
  // The response whose turn it is to be sent has the socket. All others wait for it, so it waits for none of them.
  const next =
    inFlight.length < limits.inFlight ? 0 : queue.findIndex((one) => one.response.socket);
  const [one] = next < 0 ? [] : queue.splice(next, 1);
  // Something else may have answered it while it waited, for example a time-out of the embedder's.
  if (one !== undefined && !one.response.writableEnded) start(connection, one);
  if (one !== undefined && queue.length > 0) scheduleQueued(connection, queue);
  holdWhileQueued(connection);
}

function enqueue(connection: Connection, one: QueuedRequest): void {
  const { socket, limits } = connection;
  if (!socket.writable) return;
  connection.queue ??= openQueue(connection);
  const { queue } = connection;
  if (queue.length >= limits.queued) {
    socket.destroy();
    return;
  }
  // A request that the end of another one starts keeps its own asynchronous context.
  queue.push({ ...one, handle: AsyncResource.bind(one.handle) });
  one.response.once("socket", () => scheduleQueued(connection, queue));
  scheduleQueued(connection, queue);
  holdWhileQueued(connection);
}

/**
 * Handles a request, at once or after others of its connection. Rejects a request with more than one Host header.
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
  // HTTP/2 bounds the streams of a connection by itself.
  if (request.httpVersionMajor > 1) {
    handle();
    return;
  }
  const connection = connectionOf(request.socket, limits);
  const { inFlight, queue, startedInTurn } = connection;
  if (inFlight.includes(response) || response.writableEnded) {
    handle();
    return;
  }
  if (connection.isClosing || connection.socket.destroyed) return;
  const one = { request, response, handle };
  // Requests that are answered at once are never in flight together, but a chunk contains hundreds of them.
  const isFree = Math.max(inFlight.length, startedInTurn) < connection.limits.inFlight;
  if (isFree && (queue === undefined || queue.length === 0)) start(connection, one);
  else enqueue(connection, one);
}

/**
 * Guards a request listener of `http.createServer`, such as an Express app, against clients that pipeline requests
 * and do not read the responses (RFC 9112, section 9.3.2). Requests are started in the order in which they arrive.
 * While some are queued, nothing more is read from their connection.
 *
 * @example
 * const app = express();
 * http.createServer(guardConnections(app)).listen(8080);
 */
export function guardConnections(
  listener: RequestListener,
  limits: ConnectionLimits = {},
): RequestListener {
  return (request, response) =>
    guardRequest(request, response, () => listener(request, response), limits);
}
