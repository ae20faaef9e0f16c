import type { RequestListener } from "node:http";
import { createGateway, type GatewayStore, generateSecrets } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";

/** Answers `/healthz` and `/readyz` while the data is being opened or migrated: alive, and not ready. */
export async function createEarlyHealth(): Promise<
  (url: string | undefined) => RequestListener | null
> {
  const port = new Proxy({}, { get: () => () => Promise.reject(new Error("not opened")) });
  const store = new Proxy({}, { get: () => port }) as GatewayStore;
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  // Never ready: nothing asks the store.
  gateway.retire();
  const listener = toNodeListener(gateway);
  return (url = "") => (/^\/(healthz|readyz)(\?|$)/.test(url) ? listener : null);
}
