import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that leads to the primary, as HAProxy does. */
export interface SwitchingProxy {
  readonly url: string;
  /** Cuts all connections. New ones lead to another server. */
  switchTo(target: string): void;
  close(): Promise<void>;
}

export async function startSwitchingProxy(first: string): Promise<SwitchingProxy> {
  const sockets = new Set<Socket>();
  let target = new URL(first);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inside) => {
    const outside = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(first);
  url.port = String(address !== null && typeof address === "object" ? address.port : "");
  return {
    url: url.href,
    switchTo(next) {
      target = new URL(next);
      cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
