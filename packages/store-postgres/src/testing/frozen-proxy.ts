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
  /** Ends the next connection in the packet that completes its login, as an administrator's command may. */
  endNextLogin(): void;
  close(): Promise<void>;
}

/** The server's message that it is ready for a query, which ends a login. */
const readyForQuery = Buffer.from("Z\0\0\0\x05I", "latin1");
const endedFields = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";

/** Returns an `ErrorResponse` of the Postgres protocol. */
function endedByAdministrator(): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + endedFields.length);
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(endedFields)]);
}

export async function startFrozenProxy(target: string): Promise<FrozenProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let taken = 0;
  let frozen = false;
  let losing = false;
  let endingLogin = false;
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
        } else if (endingLogin && from === outside && chunk.subarray(-6).equals(readyForQuery)) {
          endingLogin = false;
          inside.end(Buffer.concat([chunk, endedByAdministrator()]));
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
    endNextLogin() {
      endingLogin = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
