import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that can simulate network failures. */
export interface FrozenProxy {
  readonly url: string;
  /** How many connections it has accepted. */
  readonly taken: number;
  /** Drops all data silently. */
  freeze(): void;
  thaw(): void;
  /** Closes the connection of the server's next response, so that the response is lost. */
  loseAnswer(): void;
  close(): Promise<void>;
}

export async function startFrozenProxy(target: string): Promise<FrozenProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let taken = 0;
  let frozen = false;
  let losing = false;
  const server = createServer((inside) => {
    taken += 1;
    const outside = connect(Number(port), hostname);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (losing && from === outside) {
          losing = false;
          inside.destroy();
        } else if (!frozen) to.write(chunk);
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
    get taken() {
      return taken;
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
    },
    loseAnswer() {
      losing = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
