/**
 * Runs on workerd. `/suite` runs the wire suite within one request. Every other request goes to a gateway that lives
 * across requests, as in a real worker.
 */
import { type Gateway, headerAddress, toFetchHandler } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { describeWire, serveInProcess } from "@device-gateway/testing";
import { startTrialGateway } from "./trial-gateway.js";
import { runTests } from "./vitest-shim.js";

describeWire("workerd × memory", {
  serve: serveInProcess,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
});

let gateway: Promise<Gateway> | undefined;

// biome-ignore lint/style/noDefaultExport: workerd looks for it.
export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/suite") return Response.json(await runTests());
    // A worker may not create random secrets before its first request.
    gateway ??= startTrialGateway("http://worker.test");
    const clientAddress = headerAddress("cf-connecting-ip");
    return toFetchHandler(await gateway, { clientAddress })(request);
  },
};
