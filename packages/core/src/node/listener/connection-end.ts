import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Callbacks by connection. Many responses can wait on one connection. With a listener for each, Node would warn. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back when the connection of a response ends, at once if it already ended. A response that waits for earlier
 * ones, as those to pipelined requests do, has no `close` event of its own yet. Returns a function that cancels the
 * callback.
 */
export function onConnectionEnd(response: ServerResponse, callback: () => void): () => void {
  const { socket } = response.req;
  const callbacks = waiting.get(socket) ?? new Set();
  if (!waiting.has(socket)) {
    waiting.set(socket, callbacks);
    socket.once("close", () => {
      for (const one of callbacks) one();
    });
  }
  callbacks.add(callback);
  if (socket.destroyed) queueMicrotask(callback);
  return () => callbacks.delete(callback);
}

/**
 * Destroys a response and its connection. Destroying only a response that waits for earlier ones of its connection would
 * neither end the connection nor free what was written to it.
 */
export function disconnect(response: ServerResponse): void {
  response.destroy();
  response.req.socket.destroy();
}
