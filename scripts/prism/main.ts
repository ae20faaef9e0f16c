/**
 * Sends requests to each operation through Prism, which validates them and their responses against openapi.json:
 * `pnpm openapi`. A violation becomes an error of Prism's, so a request does not get its expected status.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createAlerts } from "@device-gateway/alerts";
import { createGateway, generateSecrets, type User } from "@device-gateway/core";
import { routes } from "@device-gateway/core/contract";
import { onNode, toNodeListener } from "@device-gateway/core/node";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createWebhookManager } from "@device-gateway/webhooks";
import { z } from "zod";
import { createReleaseSigner } from "../../packages/testing/src/fixtures/release-signer.js";
import { sendRequests } from "./send-requests.js";

const document = fileURLToPath(new URL("../../packages/core/openapi.json", import.meta.url));

/** Operations that Prism cannot validate. */
const skipped: Readonly<Record<string, string>> = {
  followTelemetry: "Prism waits for the end of a response, and this one has none.",
};

/** Starts Prism in front of a server. Returns its URL and process. */
async function startPrism(upstream: string): Promise<{ url: string; prism: ChildProcess }> {
  const program = ["--yes", "--loglevel=error", "@stoplight/prism-cli@5.16.0"];
  const options = ["--errors", "--host", "127.0.0.1", "--port", "0"];
  const prism = spawn("npx", [...program, "proxy", document, upstream, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    // Its own process group, because npx starts further processes.
    detached: true,
  });
  const output: string[] = [];
  for await (const line of createInterface(prism.stdout)) {
    output.push(line);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line.split("listening on")[1] ?? "") ?? [];
    if (url === undefined) continue;
    // Reads and drops the rest of the output.
    prism.stdout.resume();
    return { url, prism };
  }
  throw new Error(`Prism did not start:\n${output.join("\n")}`);
}

const signer = await createReleaseSigner();
const users: Readonly<Record<string, User>> = {
  "a-customer": { id: "alice", emailVerified: true, roles: [] },
  "an-operator": { id: "op", emailVerified: true, roles: ["operator"] },
};
const store = createMemoryStore();
const secrets = generateSecrets();
const gateway = await createGateway({
  ...{ store, secrets, webhooks: createWebhookManager(store, { secrets }) },
  ...onNode,
  customers: { authenticateToken: async (token) => users[token] ?? null },
  metadata: { schema: z.object({ site: z.string().optional() }) },
  commands: { blink: { payload: z.object({}), sentBy: ["owner"] } },
  firmware: { keys: [signer.key], artifacts: createMemoryArtifactStore() },
});
const alerts = createAlerts({ gateway, store });
const server = createServer(toNodeListener(gateway)).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const { url, prism } = await startPrism(`http://127.0.0.1:${port}`);
try {
  const called = await sendRequests(url, { signer, evaluate: () => alerts.runOnce() });
  const missing = Object.keys(routes).filter((name) => !called.has(name) && !(name in skipped));
  if (missing.length > 0) throw new Error(`Add requests for ${missing} to send-requests.ts.`);
  process.stdout.write(`Prism accepts the responses of ${called.size} operations.\n`);
} finally {
  if (prism.pid !== undefined) process.kill(-prism.pid);
  server.closeAllConnections();
  server.close();
}
