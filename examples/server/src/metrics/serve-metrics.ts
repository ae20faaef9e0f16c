import { createServer, type RequestListener } from "node:http";
import type { Logger } from "@device-gateway/core";
import { guardServer } from "@device-gateway/core/node";
import { type ListenAddress, listen } from "../http/listen.js";
import type { Metrics } from "./create-metrics.js";

export interface MetricsServer {
  readonly url: string;
  close(): void;
}

function createListener(metrics: Metrics, logger: Logger): RequestListener {
  return (request, response) => {
    const path = request.url?.split("?")[0];
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (path !== "/metrics" || !isRead) {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("Not found. This port serves only GET /metrics.\n");
      return;
    }
    metrics.read().then(
      (text) => {
        response.writeHead(200, {
          "content-type": metrics.contentType,
          "cache-control": "no-store",
        });
        response.end(text);
      },
      (error: unknown) => {
        logger.error({ err: error }, "The metrics could not be read");
        response.writeHead(500).end();
      },
    );
  };
}

/**
 * Serves `/metrics` on its own address, so that a proxy in front of the API does not publish it.
 * @throws {StartError} if the server cannot listen on the address.
 */
export async function serveMetrics(
  address: ListenAddress,
  metrics: Metrics,
  logger: Logger,
): Promise<MetricsServer> {
  const server = guardServer(
    createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, createListener(metrics, logger)),
  );
  const url = await listen(server, address, { prefix: "METRICS_", logger });
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
