import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createMemoryStore } from "@device-gateway/store-memory";
import { afterEach, expect, test, vi } from "vitest";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway, type Gateway } from "../../gateway.js";
import type { GatewayRequest } from "../../http/request/message.js";
import { toNodeListener } from "./node-listener.js";

const scryptCost = { logN: 4, r: 8, p: 1 };
const registration = JSON.stringify({
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "0.1.4",
  claimCode: "ABCD-EFGH",
});

const serves = () => true;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(listener: ReturnType<typeof toNodeListener>) {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
const head = (headers: Record<string, string>) => {
  const lines = Object.entries(headers).map((header) => `${header.join(": ")}\r\n`);
  return `POST /api/v1/device/register HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`;
};

test("a client that disconnects within its body changes nothing and causes no error", async () => {
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets(), scryptCost });
  let settle: (status: number) => void = () => {};
  const handled = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const watched = {
    serves: gateway.serves,
    handle: async (request: GatewayRequest) => {
      const response = await gateway.handle(request);
      settle(response.status);
      return response;
    },
  };
  const port = await listen(toNodeListener(watched));
  const socket = connect(port, "127.0.0.1");
  socket.write(head({ "Content-Length": "1000" }) + registration);
  await once(server as Server, "request");
  socket.destroy();
  expect(await handled).toBe(400);
  expect(await store.devices.find("gw-1")).toBeNull();
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

test("after a body that is too large, its connection accepts the next request", async () => {
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost,
  });
  const port = await listen(toNodeListener(gateway));
  const socket = connect(port, "127.0.0.1");
  const large = "x".repeat(1_000_000);
  socket.write(head({ "Transfer-Encoding": "chunked" }));
  socket.write(`${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`);
  socket.write(
    `${head({ "Content-Length": String(registration.length), Connection: "close" })}${registration}`,
  );
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString();
  });
  await once(socket, "close");
  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 201"]);
});

test("X-Forwarded-For counts only for the number of trusted proxies", async () => {
  const addressWith = async (trustedProxies: number, forwarded: string) => {
    const seen: (string | null)[] = [];
    const handle: Gateway["handle"] = async ({ clientAddress }) => {
      seen.push(clientAddress);
      return { status: 200, headers: {}, body: "" };
    };
    const port = await listen(toNodeListener({ handle, serves }, { trustedProxies }));
    await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-forwarded-for": forwarded } });
    server?.close();
    return seen[0];
  };
  const chain = "198.51.100.1, 203.0.113.7, 10.0.0.2";
  expect(await addressWith(0, chain)).toBe("127.0.0.1");
  expect(await addressWith(1, chain)).toBe("10.0.0.2");
  expect(await addressWith(2, chain)).toBe("203.0.113.7");
  expect(await addressWith(4, chain)).toBe("127.0.0.1");
  expect(await addressWith(1, "unknown")).toBe("127.0.0.1");
  expect(await addressWith(1, "2001:db8::1")).toBe("2001:db8::1");
  expect(await addressWith(1, "203.0.113.7:51234")).toBe("203.0.113.7");
  expect(await addressWith(2, "[2001:db8::1]:443, 10.0.0.2:80")).toBe("2001:db8::1");
  expect(await addressWith(1, "[2001:db8::1]")).toBe("2001:db8::1");
  for (const wrong of ["203.0.113.7:", "[203.0.113.7]:1", "203.0.113.7:1:2", "0x7f.1", "[::1"]) {
    expect(await addressWith(1, wrong), wrong).toBe("127.0.0.1");
  }
});

test("a stream is ended if something else has started the response", async () => {
  const leave = vi.fn(async () => ({ done: true as const, value: undefined }));
  const next = async () => ({ done: false as const, value: "late" });
  const body = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  const handle = vi.fn(async () => ({ status: 200, headers: {}, body }));
  const listener = toNodeListener({ handle, serves });
  const port = await listen((request, response) => {
    response.writeHead(504).write("in ");
    listener(request, response);
    response.end("time");
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, await answer.text()]).toEqual([504, "in time"]);
  // If the request had to wait for the turn of its site, it was answered before and is not handled.
  await expect.poll(() => leave.mock.calls.length).toBe(handle.mock.calls.length);
});

test("a response that something else has sent stays unchanged", async () => {
  const handle = async () => ({ status: 200, headers: {}, body: "late" });
  const listener = toNodeListener({ handle, serves });
  const port = await listen((request, response) => {
    listener(request, response);
    response.writeHead(504).end("in time");
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, await answer.text()]).toEqual([504, "in time"]);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(504);
});

test("a response whose announced bytes are all sent is not cut", async () => {
  const cut = new AbortController();
  let reportEnd = () => {};
  const end = new Promise<void>((resolve) => {
    reportEnd = resolve;
  });
  async function* pieces() {
    yield "0123456789";
    // A storage that is slow to report its end.
    await end;
  }
  const headers = { "content-length": "10" };
  const handle = async () => ({ status: 200, headers, body: pieces(), cut: cut.signal });
  const port = await listen(toNodeListener({ handle, serves }));
  const connected = once(server as Server, "connection");
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe("0123456789");
  const [connection] = await connected;
  cut.abort(new Error("cut"));
  expect(connection.destroyed).toBe(false);
  reportEnd();
});

/** Sends a request byte for byte on a connection of its own. Returns the response. */
async function sendRaw(port: number, head: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let received = "";
  socket.on("data", (piece: string) => {
    received += piece;
  });
  socket.write(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  return received;
}

test("a request whose target is a whole URL is served by the gateway", async () => {
  const { serves, handle } = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost,
  });
  const otherwise: RequestListener = (_, response) => void response.end("the page");
  const port = await listen(toNodeListener({ serves, handle }, { otherwise }));
  expect(await sendRaw(port, "GET http://x/readyz HTTP/1.1")).toContain("no-store");
  expect(await sendRaw(port, "GET HTTP://x:80/api/v1/none?a=b HTTP/1.1")).toContain("not_found");
  expect(await sendRaw(port, "GET http://x/about HTTP/1.1")).toContain("the page");
  expect(await sendRaw(port, "GET http://x HTTP/1.1")).toContain("the page");
});

test("§0 a response to HEAD has no Content-Length if that of GET is unknown", async () => {
  const lengthOf = async (headers: Record<string, string>, body: string) => {
    const handle = async () => ({ status: 200, headers, body });
    const port = await listen(toNodeListener({ handle, serves }));
    const response = await sendRaw(port, "HEAD / HTTP/1.1");
    server?.close();
    expect(response).toContain("HTTP/1.1 200");
    return /^content-length: (\d+)/im.exec(response)?.[1];
  };
  expect(await lengthOf({}, "")).toBeUndefined();
  expect(await lengthOf({ "content-length": "7" }, "")).toBe("7");
  expect(await lengthOf({}, "hello")).toBe("5");
});
