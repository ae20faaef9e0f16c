import { createServer, type Server } from "node:http";
import { createGateway } from "@device-gateway/core";
import {
  createLibuvSlowHash,
  loadOrCreateSecrets,
  toNodeListener,
} from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";

/** The gateway straight on node:http, on the files of a folder: nothing is faster on Node. */
export async function createGatewayServer(folder: string): Promise<Server> {
  const store = await openSqliteStore({ file: `${folder}/gateway.db` });
  const gateway = await createGateway({
    store,
    secrets: await loadOrCreateSecrets(`${folder}/gateway.secrets.json`),
    slowHash: createLibuvSlowHash(),
  });
  const toGateway = toNodeListener(gateway);
  const maintenance = setInterval(() => void gateway.maintain().catch(console.error), 300_000);

  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "/";
    if (gateway.serves(path)) toGateway(request, response);
    else response.writeHead(404).end("Nothing of ours.");
  });
  // Slow senders must not hold connections for ever.
  server.headersTimeout = 20_000;
  server.requestTimeout = 120_000;
  server.on("close", () => {
    clearInterval(maintenance);
    void store.close();
  });
  return server;
}
