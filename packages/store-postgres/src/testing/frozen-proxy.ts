import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server, and can stop passing anything on, as a dead network does. */
export interface FrozenProxy {
  readonly url: string;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function startFrozenProxy(target: string): Promise<FrozenProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((inside) => {
    const outside = connect(Number(port), hostname);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!frozen) to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(target);
  url.port = String(address !== null && typeof address === "object" ? address.port : "");
  return {
    url: url.href,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
