import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway, type Gateway, generateSecrets } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { onTestFinished } from "vitest";
import type { PinnedKey } from "../update/offer/trusted-keys.js";

export interface ServedGateway {
  readonly url: string;
  readonly gateway: Gateway;
}

/** Listens on a free port until the test has finished. Returns the address. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a gateway in memory over real HTTP. Its user tokens are `operator` and `customer`. */
export async function serveGateway(keys: readonly PinnedKey[]): Promise<ServedGateway> {
  let gateway: Gateway | undefined;
  const url = await listen((request, response) => {
    if (gateway !== undefined) toNodeListener(gateway)(request, response);
  });
  const roles: Readonly<Record<string, readonly string[]>> = {
    operator: ["operator"],
    customer: [],
  };
  gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    publicUrl: url,
    firmware: {
      keys: keys.map(({ id, pem }) => ({ id, publicKey: pem })),
      artifacts: createMemoryArtifactStore(),
    },
    customers: {
      async authenticateToken(token) {
        const known = roles[token];
        return known ? { id: token, emailVerified: true, roles: known } : null;
      },
    },
  });
  return { url, gateway };
}
