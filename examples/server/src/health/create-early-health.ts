import type { RequestListener } from "node:http";
import { createGateway, type GatewayStore, generateSecrets } from "@device-gateway/core";
import { toNodeListener, toOriginForm } from "@device-gateway/core/node";

/**
 * Creates a function that returns a listener for `/healthz` and `/readyz`, and null for other paths. It serves while the
 * data is opened or migrated, and reports that the server is alive but not ready.
 */
export async function createEarlyHealth(): Promise<
  (url: string | undefined) => RequestListener | null
> {
  const port = new Proxy({}, { get: () => () => Promise.reject(new Error("not opened")) });
  const ofSecrets = { keepKeyCheck: async (value: string) => value };
  const store = new Proxy(ofSecrets, {
    get: (target, key): unknown => Reflect.get(target, key) ?? port,
  }) as unknown as GatewayStore;
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  // A retired gateway is never ready, so it never calls the store.
  gateway.retire();
  const listener = toNodeListener(gateway);
  return (url = "") => (/^\/(healthz|readyz)(\?|$)/.test(toOriginForm(url)) ? listener : null);
}
