import { createServer, type RequestListener } from "node:http";
import type { Logger } from "@device-gateway/core";
import { guardConnections } from "@device-gateway/core/node";
import { listen, type Place } from "../listen.js";
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
      response.end("There is nothing here but GET /metrics.\n");
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
 * Serves `/metrics` at an address of its own, so that no proxy in front of the API shows it to the world.
 * @throws {StartError} when the address can't be had.
 */
export async function serveMetrics(
  place: Place,
  metrics: Metrics,
  logger: Logger,
): Promise<MetricsServer> {
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000 },
    guardConnections(createListener(metrics, logger)),
  );
  const url = await listen(server, place, "METRICS_");
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
