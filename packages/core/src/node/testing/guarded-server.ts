import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach } from "vitest";
import { guardConnections } from "../listener/guard-connections.js";

export interface Started {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string | undefined;
}

export const get = (path: number | string, more = ""): string =>
  `GET /${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
export const post = (path: number | string, body: string): string =>
  `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
export const urls = (started: readonly Started[]) => started.map(({ url }) => url);
export const paths = (count: number): string[] => numbers(count).map((n) => `/${n}`);

export const echo: RequestListener = (request, response) => void response.end(`<${request.url}>`);
export const echoLater: RequestListener = (request, response) =>
  void setImmediate(() => echo(request, response));

/** Registers a hook that ends the server and the client of each test. */
export function useGuardedServer() {
  let server: Server;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Starts a server and connects the client to it. Returns the server's side of the connection. */
  async function listen(listener: RequestListener): Promise<Socket> {
    server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const connected = once(server, "connection");
    client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    const [connection] = (await connected) as [Socket];
    return connection;
  }

  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
    listen,

    /** Starts a guarded listener. Returns a list of what the listener was started with. */
    async open(listener: RequestListener = () => {}, limits = {}) {
      const started: Started[] = [];
      const guarded = guardConnections((request, response) => {
        started.push({ request, response, url: request.url });
        listener(request, response);
      }, limits);
      let parsed = 0;
      const connection = await listen((request, response) => {
        parsed += 1;
        guarded(request, response);
      });
      return { started, connection, parsed: () => parsed };
    },

    /** Collects what the client receives: the paths that were echoed, in order. */
    receive() {
      let text = "";
      client.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      const echoes = (): string[] => text.match(/(?<=<)[^>]*(?=>)/g) ?? [];
      return {
        text: () => text,
        echoes,
        async untilEchoes(count: number) {
          while (echoes().length < count) await once(client, "data");
        },
      };
    },
  };
}
