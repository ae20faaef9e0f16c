import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

export interface Graces {
  /** How long a client that sends nothing keeps its connection, which it may be about to use. */
  readonly idleMs: number;
  /** What is not answered by then is cut off. */
  readonly answerMs: number;
}

/**
 * Waits for a turn of the event loop in which next to nothing was done, for a while. What connects
 * between a turn's accepting and the end of the listener is reset.
 */
async function untilQuiet(): Promise<void> {
  const begin = performance.now();
  for (let last = begin; last - begin < 500; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    if (now - last < 0.5) return;
    last = now;
  }
}

/**
 * Gives what stops a server from accepting and lets what is under way be answered. Each answer tells
 * its client to use another connection from now on: none is closed under a request on its way.
 */
export function prepareToClose(server: Server): (graces: Graces) => Promise<void> {
  /**
   * Responses that are not sent yet, by connection: one that waits behind others has no `close` of its own when
   * its connection ends.
   */
  const open = new Map<Socket, Set<ServerResponse>>();
  /** Connections on which nothing was asked yet: to Node they are not idle. */
  const unused = new Set<Socket>();
  let closing = false;
  const announce = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close");
  };
  server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => {
      unused.delete(socket);
      open.delete(socket);
    });
  });
  server.prependListener("request", ({ socket }, response: ServerResponse) => {
    unused.delete(socket);
    const responses = open.get(socket) ?? new Set();
    open.set(socket, responses.add(response));
    response.once("close", () => responses.delete(response));
    if (closing) announce(response);
  });

  return async ({ idleMs, answerMs }) => {
    await untilQuiet();
    const closed = new Promise<void>((resolve) => {
      // Node's own way for HTTP closes idle connections at once, requests on their way or not.
      NetServer.prototype.close.call(server, () => resolve());
    });
    // Not sooner: whoever is told connects anew at once, and is to be refused here, not reset.
    closing = true;
    for (const responses of open.values()) for (const response of responses) announce(response);
    let sweep: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      for (const socket of unused) socket.destroy();
      sweep = setInterval(() => server.closeIdleConnections(), 20);
    }, idleMs);
    const cutOff = setTimeout(() => server.closeAllConnections(), answerMs);
    await closed;
    clearTimeout(idle);
    clearInterval(sweep);
    clearTimeout(cutOff);
  };
}
