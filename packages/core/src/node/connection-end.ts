import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Many answers may wait on one connection: more than an emitter takes listeners without a warning. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back when an answer's connection ends, at once if it has. While the answer waits for others
 * before it, as of requests that were pipelined, it has no `close` of its own. Gives what stops it.
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
