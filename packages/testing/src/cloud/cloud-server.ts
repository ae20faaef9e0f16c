import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayRequest, GatewayResponse } from "@device-gateway/core";
import { toGatewayRequest, writeGatewayResponse } from "@device-gateway/core/node";

/** An HTTP server that can be stopped without notice and started again on the same port. */
export interface CloudServer {
  readonly url: string;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
}

export interface CloudAddress {
  /** Default: `127.0.0.1`. For real hardware, set this machine's network address: download URLs contain it. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** Serves requests on a port. If the handler rejects, the connection is closed without a response. */
export async function openCloudServer(
  handle: (request: GatewayRequest) => Promise<GatewayResponse>,
  { host = "127.0.0.1", port = 0 }: CloudAddress,
): Promise<CloudServer> {
  let server: Server | undefined;

  async function open(onPort: number): Promise<number> {
    const opened = createServer((request, response) => {
      handle(toGatewayRequest(request, {}))
        .then((result) => writeGatewayResponse(result, response))
        .catch(() => response.destroy());
    });
    opened.listen(onPort, host);
    await once(opened, "listening");
    server = opened;
    return (opened.address() as AddressInfo).port;
  }

  const listening = await open(port);
  return {
    url: `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${listening}`,
    async goOffline() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      closing.close();
      closing.closeAllConnections();
      await once(closing, "close");
    },
    async goOnline() {
      if (server === undefined) await open(listening);
    },
  };
}
