import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { GatewayResponse } from "@device-gateway/core";
import { toGatewayRequest, writeGatewayResponse } from "@device-gateway/core/node";
import type { KeyAndCertificate } from "./cloud-certificates.js";
import type { CloudRequest } from "./recorded-request.js";

/** An HTTP server that can be stopped without notice and started again on the same port. */
export interface CloudServer {
  readonly url: string;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Presents the certificate to new connections and closes the open ones. Does nothing on an HTTP port. */
  presentCertificate(): void;
}

export interface CloudAddress {
  /** Default: `127.0.0.1`. For real hardware, set this machine's network address: download URLs contain it. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Serves HTTPS. Clients must trust `tlsAuthority`. Default: false. */
  readonly tls?: boolean;
}

/** How a server answers and, for HTTPS, its certificate. */
export interface CloudService {
  /** If it rejects, the connection is closed without a response. */
  handle(request: CloudRequest): Promise<GatewayResponse>;
  certificateFor(host: string): KeyAndCertificate;
}

function toHeaders(headers: NodeJS.Dict<string | string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}

/** Serves requests on a port. */
export async function openCloudServer(
  { handle, certificateFor }: CloudService,
  { host = "127.0.0.1", port = 0, tls = false }: CloudAddress,
): Promise<CloudServer> {
  let server: Server | TlsServer | undefined;
  const name = host === "0.0.0.0" ? "127.0.0.1" : host;

  const listener: RequestListener = (request, response) => {
    handle({ ...toGatewayRequest(request, {}), headers: toHeaders(request.headers) })
      .then((result) => writeGatewayResponse(result, response))
      .catch(() => response.destroy());
  };

  async function open(onPort: number): Promise<number> {
    const opened = tls ? createTlsServer(certificateFor(name), listener) : createServer(listener);
    opened.listen(onPort, host);
    await once(opened, "listening");
    server = opened;
    return (opened.address() as AddressInfo).port;
  }

  const listening = await open(port);
  return {
    url: `${tls ? "https" : "http"}://${name}:${listening}`,
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
    presentCertificate() {
      if (server === undefined || !("setSecureContext" in server)) return;
      server.setSecureContext(certificateFor(name));
      server.closeAllConnections();
    },
  };
}
