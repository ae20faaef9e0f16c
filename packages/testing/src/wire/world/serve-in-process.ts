import type { Gateway } from "@device-gateway/core";
import { toFetchHandler } from "@device-gateway/core";
import { withContentLength } from "../../fixtures/with-content-length.js";
import type { WireServer } from "./wire-world.js";

/**
 * Serves requests in process through the fetch handler.
 *
 * @example
 * const server = await serveInProcess(gateway);
 * const response = await server.fetch("/healthz");
 */
export async function serveInProcess(gateway: Gateway): Promise<WireServer> {
  const handler = toFetchHandler(gateway, { clientAddress: () => null });
  return {
    fetch: (path, init) => handler(withContentLength(`http://gateway.test${path}`, init)),
    close: async () => {},
    isInProcess: true,
  };
}
