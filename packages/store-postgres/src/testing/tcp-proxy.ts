import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a Postgres server. It can simulate network failures, and a failover as HAProxy does. */
export interface TcpProxy {
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
  /** Closes all connections. New ones lead to another server. */
  switchTo(target: string): void;
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

/** Starts a proxy that forwards all data to the server of a URL. */
export async function startTcpProxy(first: string): Promise<TcpProxy> {
  let target = new URL(first);
  const sockets = new Set<Socket>();
  let taken = 0;
  let frozen = false;
  let losing = false;
  let endingLogin = false;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inside) => {
    taken += 1;
    const outside = connect(Number(target.port), target.hostname);
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
        // Sends first what it has taken, such as the error with which the server ends a connection.
        to.destroySoon();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(first);
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
