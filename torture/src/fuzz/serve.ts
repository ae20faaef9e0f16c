import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { toExpressHandler } from "@device-gateway/adapter-express";
import type { Gateway } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import express from "express";
import type { Handle } from "../attack.js";
import { withFault } from "./faults.js";
import type { Fault, FuzzReply, FuzzRequest } from "./message.js";

/** How the gateway is served: by its own Node listener, or mounted in Express. */
export const ways = ["listener", "express"] as const;
export type Way = (typeof ways)[number];

export interface FuzzServer {
  readonly port: number;
  /** Whether the gateway answers every path. False in Express. */
  readonly isAlone: boolean;
  /** Prefix of every target. */
  readonly mount: string;
  send(request: FuzzRequest): Promise<FuzzReply>;
  close(): Promise<void>;
}

const faultHeader = "x-planted-fault";
/** A response that takes longer counts as hanging. */
const timeoutMs = 20_000;
const liveMs = 30;

export async function serve(way: Way, gateway: Gateway, handle: Handle): Promise<FuzzServer> {
  const faulty: Gateway = {
    ...gateway,
    handle: (request) => {
      const fault = Number(request.header(faultHeader) ?? 0) as Fault | 0;
      return withFault(fault || null, () => handle(request));
    },
  };
  const mount = way === "express" ? "/iot" : "";
  const listener =
    way === "express" ? express().use(mount, toExpressHandler(faulty)) : toNodeListener(faulty);
  // On a busy machine, the default time-out of 5 s would close a connection on which a request is arriving.
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    port,
    isAlone: way === "listener",
    mount,
    send: (request) => send(request, { port, mount, agent }),
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(
  { method, target, headers, body, fault }: FuzzRequest,
  { port, mount, agent }: { port: number; mount: string; agent: Agent },
): Promise<FuzzReply> {
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      ...{ host: "127.0.0.1", port, agent, method, path: mount + target, timeout: timeoutMs },
      headers: {
        ...headers,
        ...(body !== null && { "content-length": body.length }),
        ...(fault !== null && { [faultHeader]: String(fault) }),
      },
    });
    request.on("response", (response) => {
      readReply(response).then(resolve, reject);
    });
    request.on("timeout", () => request.destroy(new Error("no response within 20 s")));
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

async function readReply(response: IncomingMessage): Promise<FuzzReply> {
  const headers = response.headers as Record<string, string>;
  const isLive = headers["content-type"]?.startsWith("text/event-stream") ?? false;
  const timer = isLive ? setTimeout(() => response.destroy(), liveMs) : undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isLive) throw error;
  } finally {
    clearTimeout(timer);
  }
  const body = Buffer.concat(chunks);
  const binary = headers["content-type"] === "application/octet-stream";
  return {
    status: response.statusCode ?? 0,
    headers,
    body: body.toString(binary ? "latin1" : "utf8"),
    isLive,
  };
}
