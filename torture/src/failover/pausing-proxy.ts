import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy on this machine that can stop forwarding, as a network without a route does. Nothing is lost meanwhile. */
export interface PausingProxy {
  readonly port: number;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startPausingProxy(target: number): Promise<PausingProxy> {
  const sockets = new Set<Socket>();
  /** Connections that were accepted during the pause. */
  const waiting = new Set<Socket>();
  let isPaused = false;

  function forward(inside: Socket): void {
    const outside = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => void to.write(chunk));
      from.on("end", () => void to.end());
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    inside.on("error", () => {});
    if (!isPaused) return forward(inside);
    waiting.add(inside.pause());
    inside.once("close", () => waiting.delete(inside));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
      for (const socket of waiting) forward(socket);
      waiting.clear();
    },
    async close() {
      for (const socket of [...sockets, ...waiting]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
