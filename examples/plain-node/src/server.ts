import { createServer, type RequestListener, type Server } from "node:http";
import { createGateway } from "@device-gateway/core";
import {
  guardServer,
  loadOrCreateSecrets,
  onNode,
  startMaintenance,
  toNodeListener,
} from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";

/** Creates a node:http server for a gateway, the fastest way on Node. `folder` has its files. */
export async function createGatewayServer(folder: string): Promise<Server> {
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
  server.on("close", () => {
    void maintenance.stop().then(() => store.close());
  });
  return server;
}
