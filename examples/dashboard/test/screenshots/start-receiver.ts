import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  /** Accepts each message. */
  readonly goodUrl: string;
  /** Refuses each message with 503 and a page of HTML. */
  readonly badUrl: string;
  stop(): void;
}

const maintenance = "<html><body><h1>Service unavailable</h1><p>Maintenance</p></body></html>";

/** Starts a receiver of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const isGood = request.url === "/events";
    request.resume().once("end", () => {
      response.writeHead(isGood ? 204 : 503).end(isGood ? undefined : maintenance);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    goodUrl: `${url}/events`,
    badUrl: `${url}/integrations/maintenance-planning/device-gateway/events`,
    stop: () => void server.close(),
  };
}
