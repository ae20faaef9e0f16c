/** Runs on Bun, Deno or Node: the suites of `@device-gateway/testing` against this runtime's own server and SQLite. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bunAddress, denoAddress, type Gateway, toFetchHandler } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { createMemoryStore } from "@device-gateway/store-memory";
import { bunSqlite, nodeSqlite, openSqliteStore } from "@device-gateway/store-sqlite";
import {
  describeStoreConformance,
  describeWire,
  serveInProcess,
  type WireServer,
} from "@device-gateway/testing";
import { openSharedStores } from "../../packages/store-postgres/src/testing/shared-stores.js";
import { createTemporaryFile } from "../../packages/store-sqlite/src/testing/temporary-file.js";
import { slowReaders } from "./expected-failures.js";
import { runTests } from "./vitest-shim.js";

type Handler<Context> = (request: Request, context: Context) => Promise<Response>;
interface BunServer {
  readonly port: number;
  stop(closeConnections: boolean): Promise<void>;
  requestIP(request: Request): { readonly address: string } | null;
}
interface Runtimes {
  readonly Bun?: {
    serve(options: { port: number; hostname: string; fetch: Handler<BunServer> }): BunServer;
  };
  readonly Deno?: {
    serve(
      options: { port: number; hostname: string; onListen(): void },
      handler: Handler<{ readonly remoteAddr: object }>,
    ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  };
}
const { Bun, Deno } = globalThis as unknown as Runtimes;
const hostname = "127.0.0.1";

const connectTo = (port: number, close: () => Promise<void>): WireServer => ({
  fetch: (path, init) => fetch(`http://${hostname}:${port}${path}`, init),
  close,
});

async function serve(gateway: Gateway): Promise<WireServer> {
  if (Bun !== undefined) {
    const handler = toFetchHandler(gateway, { clientAddress: bunAddress });
    const server = Bun.serve({ port: 0, hostname, fetch: handler });
    return connectTo(server.port, () => server.stop(true));
  }
  if (Deno !== undefined) {
    const handler = toFetchHandler(gateway, { clientAddress: denoAddress });
    const server = Deno.serve({ port: 0, hostname, onListen: () => {} }, handler);
    return connectTo(server.addr.port, () => server.shutdown());
  }
  return serveInProcess(gateway);
}

/** Serves through the runtime's own `node:http`, which sends the Content-Length of downloads on Bun. */
async function serveThroughNode(gateway: Gateway): Promise<WireServer> {
  const server = createServer(toNodeListener(gateway)).listen(0, hostname);
  await once(server, "listening");
  return connectTo((server.address() as AddressInfo).port, async () => {
    server.closeAllConnections();
    server.close();
  });
}

const name = Bun !== undefined ? "Bun" : Deno !== undefined ? "Deno" : "Node";
const driver = Bun === undefined ? nodeSqlite : bunSqlite;

describeStoreConformance(`SQLite on ${name}`, {
  open: async () => {
    const { file, remove } = createTemporaryFile();
    const open = () => openSqliteStore({ file, driver });
    const handles = [await open(), await open()] as const;
    return {
      handles,
      dispose: async () => {
        for (const store of handles) await store.close();
        remove();
      },
    };
  },
});

async function openMemory() {
  const store = createMemoryStore();
  return { store, dispose: () => store.close() };
}
if (name !== "Node") {
  describeWire(`${name} × memory`, { serve, openStore: openMemory });
}
if (name === "Bun") {
  describeWire("Bun × node:http", { serve: serveThroughNode, openStore: openMemory });
}

const postgresUrl = process.env["TEST_DATABASE_URL"];
const shared = postgresUrl && (await openSharedStores(postgresUrl, { stores: 1, poolSize: 3 }));
if (shared) {
  describeWire(`${name} × Postgres`, {
    serve: name === "Bun" ? serveThroughNode : serve,
    openStore: async () => {
      const [store] = await shared.open();
      if (store === undefined) throw new Error("The database has no store.");
      return { store, dispose: async () => {} };
    },
  });
}

/** On Postgres, only registration, login, claims, telemetry and configuration. Over node:http, only firmware. */
const isLeftOut = (title: string) =>
  (title.includes("× Postgres") && !/ > §[1-5] /.test(title)) ||
  (title.includes("× node:http") && !title.includes(" > §6 "));
const results = await runTests(name === "Node" ? [] : slowReaders, isLeftOut);
if (shared) await shared.remove();
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit(results.failed.length === 0 ? 0 : 1);
