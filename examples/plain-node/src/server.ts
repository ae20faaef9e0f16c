import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createGateway } from "@device-gateway/core";
import {
  guardServer,
  loadOrCreateSecrets,
  onNode,
  startMaintenance,
  toNodeListener,
} from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";

/**
 * Creates a node:http server for a gateway, the fastest way on Node. `folder` has its files. `stop`
 * closes the server when open requests are answered, and then the store.
 */
export async function createGatewayServer(folder: string) {
  const store = await openSqliteStore({ file: `${folder}/gateway.db` });
  const gateway = await createGateway({
    store,
    secrets: await loadOrCreateSecrets(`${folder}/gateway.secrets.json`),
    ...onNode,
  });
  const maintenance = startMaintenance(gateway);

  const otherwise: RequestListener = (_request, response) => {
    response.writeHead(404).end("Not found.");
  };
  const server = guardServer(createServer(toNodeListener(gateway, { otherwise })));
  // Slow clients must not keep connections open.
  server.headersTimeout = 20_000;
  server.requestTimeout = 120_000;

  const stop = async () => {
    gateway.retire(); // /readyz answers 503 from now on
    gateway.endLiveStreams();
    server.close();
    await once(server, "close");
    await maintenance.stop();
    await store.close();
  };
  return { server, stop };
}
