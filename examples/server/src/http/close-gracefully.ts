import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

export interface GracePeriods {
  /** How long a connection without a request stays open, because the client may be about to use it. */
  readonly idleMs: number;
  /** When connections are ended even if their response is not sent. */
  readonly responseMs: number;
}

/**
 * Waits up to 500 ms for a turn of the event loop that takes under 0.5 ms. A client that connects between the last accept
 * of a turn and the end of the listener is reset, and an idle turn makes that unlikely.
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
 * Returns a function that stops a server from accepting connections and waits until pending requests are answered. Each
 * response tells its client to close the connection, so that no connection is closed while a request arrives on it.
 */
export function prepareToClose(server: Server): (periods: GracePeriods) => Promise<void> {
  /**
   * Unsent responses by connection. A response that waits behind others gets no `close` event of its own when its
   * connection ends.
   */
  const open = new Map<Socket, Set<ServerResponse>>();
  /** Connections without a request so far. Node does not count them as idle. */
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

  return async ({ idleMs, responseMs }) => {
    const begunAt = performance.now();
    await untilQuiet();
    const closed = new Promise<void>((resolve) => {
      // Not `server.close()`: for HTTP it closes idle connections at once, even if a request is arriving on them.
      NetServer.prototype.close.call(server, () => resolve());
    });
    // Only now: a client that gets the header reconnects at once, and must then be refused, not reset.
    closing = true;
    for (const responses of open.values()) for (const response of responses) announce(response);
    let sweep: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      for (const socket of unused) socket.destroy();
      sweep = setInterval(() => server.closeIdleConnections(), 20);
    }, idleMs);
    const leftMs = Math.max(0, responseMs - (performance.now() - begunAt));
    const cutOff = setTimeout(() => server.closeAllConnections(), leftMs);
    await closed;
    clearTimeout(idle);
    clearInterval(sweep);
    clearTimeout(cutOff);
  };
}
