import type { RequestListener, Server } from "node:http";
import { type ConnectionLimits, guardConnections } from "./guard-connections.js";

/**
 * Guards an HTTP server as `guardConnections` guards a listener. It also covers the requests that Node answers itself
 * without a limit: those without a Host header get 400 from the guard (RFC 9112, section 3.2), and those with an unknown
 * `Expect` are handled as if they had none (RFC 9110, section 10.1.1). Call it after the server has its listener, and do
 * not set `maxRequestsPerSocket`: Node answers the requests beyond it itself too.
 *
 * @example
 * const server = guardServer(express().use(toExpressHandler(gateway)).listen(8080));
 */
export function guardServer(server: Server, limits: ConnectionLimits = {}): Server {
  const listeners = server.listeners("request") as RequestListener[];
  const guarded = guardConnections((request, response) => {
    for (const listener of listeners) listener.call(server, request, response);
  }, limits);
  // The option of `createServer`. Node reads it from the server at each request.
  Object.assign(server, { requireHostHeader: false });
  server.removeAllListeners("request").on("request", guarded);
  if (server.listenerCount("checkExpectation") === 0) {
    server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  }
  return server;
}
