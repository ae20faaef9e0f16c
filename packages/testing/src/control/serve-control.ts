import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { TestCloud } from "../cloud/test-cloud.js";
import { ControlError } from "./control-error.js";
import { createControlHandlers } from "./control-handlers.js";
import { type ControlRoute, controlRoutes } from "./control-routes.js";
import { findControlRoute, readControlRequest } from "./read-control-request.js";

export interface ControlOptions {
  /** The cloud's address for devices. */
  readonly url: string;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** The token that every request must carry. Required unless the host is a loopback address. */
  readonly token?: string;
}

/** A running control API. */
export interface ControlServer {
  readonly url: string;
  close(): Promise<void>;
}

const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Refuses browsers and strangers: a web page could otherwise control a cloud on the same machine. */
function authorize({ headers }: IncomingMessage, token: string | undefined): void {
  if (headers.origin !== undefined)
    throw new ControlError(403, "The control API does not answer web pages.");
  if (token === undefined) {
    const { host = "" } = headers;
    const name = host.replace(/:\d+$/, "").replaceAll(/[[\]]/g, "");
    if (!isLoopback(name))
      throw new ControlError(403, `The control API is not at ${host}. Use 127.0.0.1.`);
    return;
  }
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  if (!timingSafeEqual(digest(given), digest(token)))
    throw new ControlError(401, "Send the token of the control API as a bearer token.");
}

/**
 * Serves the control API of a test cloud.
 * @throws {TypeError} if the host is not a loopback address and there is no token.
 * @example
 * const url = await cloud.listen();
 * const control = await serveControl(cloud, { url });
 */
export async function serveControl(
  cloud: TestCloud,
  { url, host = "127.0.0.1", port = 0, token }: ControlOptions,
): Promise<ControlServer> {
  if (token === undefined && !isLoopback(host)) {
    throw new TypeError(
      `The control API on ${host} needs a token, because others can reach it. Pass one, or use 127.0.0.1.`,
    );
  }
  const handlers = createControlHandlers(cloud, url);

  async function answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    authorize(request, token);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://control");
    const { name, params } = findControlRoute(request.method ?? "GET", pathname);
    const route: ControlRoute = controlRoutes[name];
    const parsed = await readControlRequest(request, route, params, searchParams);
    const handle = handlers[name] as (input: unknown) => unknown;
    const body = await handle(parsed);
    return route.answer === undefined ? { status: 204 } : { status: route.status, body };
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((fault: unknown) => ({
        status: fault instanceof ControlError ? fault.status : 409,
        body: { error: fault instanceof Error ? fault.message : String(fault) },
      }))
      .then(({ status, body }) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`);
      })
      .catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  const name = host === "0.0.0.0" || host === "localhost" ? "127.0.0.1" : host;
  const bracketed = name.includes(":") ? `[${name}]` : name;
  return {
    url: `http://${bracketed}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
