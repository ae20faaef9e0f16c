import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayRequest, GatewayResponse } from "@device-gateway/core";
import { toGatewayRequest, writeGatewayResponse } from "@device-gateway/core/node";

/** A port that can be closed as if the machine were gone, and opened again. */
export interface CloudServer {
  readonly url: string;
  vanish(): Promise<void>;
  comeBack(): Promise<void>;
}

export interface CloudAddress {
  /** Default: `127.0.0.1`. For hardware on the bench: this machine's own address, since downloads lead there. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** Serves on a port. A handler that rejects breaks the connection off. */
export async function openCloudServer(
  handle: (request: GatewayRequest) => Promise<GatewayResponse>,
  { host = "127.0.0.1", port = 0 }: CloudAddress,
): Promise<CloudServer> {
  let server: Server | undefined;

  async function open(onPort: number): Promise<number> {
    const opened = createServer((request, response) => {
      handle(toGatewayRequest(request, {}))
        .then((answer) => writeGatewayResponse(answer, response))
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
    async vanish() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      closing.close();
      closing.closeAllConnections();
      await once(closing, "close");
    },
    async comeBack() {
      if (server === undefined) await open(listening);
    },
  };
}
