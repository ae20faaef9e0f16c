import { createIssuer } from "../issuer.js";
import { type LineProcess, startLineProcess } from "../line-process.js";
import type { Storage } from "../storage.js";
import type { WorldReply, WorldRequest } from "../world.js";
import type { GatewayGroup, KeyNames } from "./gateway-group.js";

const clock = { now: () => Date.now() };

/** A gateway in its own process, reached over HTTP. */
interface Server {
  readonly process: LineProcess;
  readonly origin: string;
}

async function start(storage: Storage, keys: KeyNames): Promise<Server> {
  const process = await startLineProcess(
    "revocation/http-process.ts",
    storage.place ?? "",
    keys.join(),
  );
  return { process, origin: `http://127.0.0.1:${await process.ask("port")}` };
}

async function send(origin: string, request: WorldRequest): Promise<WorldReply> {
  const { method, path, query = {}, token, body } = request;
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${origin}/api/v1${path}?${search}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

/** Starts gateways in their own processes, in real time. */
export async function openProcessGroup(storage: Storage, size: number): Promise<GatewayGroup> {
  const servers: Server[] = [];
  for (let n = 0; n < size; n++) servers.push(await start(storage, ["old"]));
  return {
    size,
    isRealTime: true,
    issuer: createIssuer(clock),
    now: () => performance.now(),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    send: (request, gateway) => send(servers[gateway]?.origin ?? "", request),
    async restart(keys) {
      for (const [n, server] of servers.entries()) {
        await server.process.end();
        servers[n] = await start(storage, keys);
      }
    },
    async close() {
      for (const { process } of servers) await process.end();
    },
  };
}
