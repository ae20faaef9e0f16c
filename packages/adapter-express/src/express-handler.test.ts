import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import {
  createGateway,
  customer,
  type Gateway,
  generateSecrets,
  silentLogger,
} from "@device-gateway/core";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import compression from "compression";
import express, { type Express, type RequestHandler } from "express";
// @ts-expect-error Express 4 has no types of its own. The test uses it like Express 5.
import express4 from "express-4";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toExpressHandler } from "./express-handler.js";

const registration = {
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "0.1.4",
  claimCode: "ABCD-EFGH",
};
const registerPath = "/api/v1/device/register";

let server: Server;
let store: ReturnType<typeof createMemoryStore>;
let gateway: Gateway;
let logged: unknown[];

const createTestGateway = () =>
  createGateway({
    store,
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    logger: { ...silentLogger, error: (fields) => logged.push(fields["err"]) },
  });

beforeEach(async () => {
  store = createMemoryStore();
  logged = [];
  gateway = await createTestGateway();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(build: (app: Express) => void): Promise<string> {
  const app = express();
  build(app);
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

test("requests that the gateway does not serve reach the app's own routes", async () => {
  const url = await serve((app) => {
    app.get("/healthz", (_, response) => {
      response.send("the app's own");
    });
    app.use(toExpressHandler(gateway));
    app.get("/about", (_, response) => {
      response.send("about");
    });
  });
  expect(await (await fetch(`${url}/healthz`)).text()).toBe("the app's own");
  expect(await (await fetch(`${url}/about`)).text()).toBe("about");
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const unknown = await fetch(`${url}/api/v1/none`);
  expect([unknown.status, (await unknown.json()).code]).toEqual([404, "not_found"]);
});

test.each<[string, RequestHandler]>([
  ["express.json", express.json()],
  ["express.text", express.text({ type: "*/*" })],
  ["express.raw", express.raw({ type: "*/*" })],
])("a body that %s has parsed is accepted", async (_, parser) => {
  const url = await serve((app) => app.use(parser, toExpressHandler(gateway)));
  expect((await post(url + registerPath, JSON.stringify(registration))).status).toBe(201);
  const broken = await post(url + registerPath, '{"deviceId":');
  expect(broken.status).toBe(400);
  expect((await post(url + registerPath, "[]")).status).toBe(400);
});

test("a body that no parser has read is read from the stream", async () => {
  const url = await serve((app) =>
    app.use(express.json({ type: "application/other" }), toExpressHandler(gateway)),
  );
  expect((await post(url + registerPath, JSON.stringify(registration))).status).toBe(201);
});

test("§0 a type of body that no parser can read is 415, with the gateway's headers", async () => {
  const url = await serve((app) => app.use(express.json(), toExpressHandler(gateway)));
  const unreadable = [
    { "content-encoding": "compress" },
    // Parsers decompress these, from Node 22.15 on also Zstandard. The body is not compressed.
    { "content-encoding": "gzip" },
    { "content-encoding": "br" },
    { "content-encoding": "zstd" },
    { "content-type": "application/json; charset=latin1" },
  ];
  for (const headers of unreadable) {
    const refused = await post(url + registerPath, JSON.stringify(registration), headers);
    expect([refused.status, (await refused.json()).code]).toEqual([415, "unsupported_media_type"]);
    expect(refused.headers.get("x-request-id")).not.toBeNull();
  }
});

test("§9 the size limit applies to a body that a parser has read", async () => {
  const large = JSON.stringify({ ...registration, padding: "x".repeat(17_000) });
  for (const parser of [express.json(), express.raw({ type: "*/*" })]) {
    const url = await serve((app) => app.use(parser, toExpressHandler(gateway)));
    expect((await post(url + registerPath, large)).status).toBe(413);
    server.close();
  }
});

test("§4 a record that is too large only for the parser gets a 500, so that the device sends it again later, and the log says what to change", async () => {
  const token = async (url: string) => {
    const registered = await post(url + registerPath, JSON.stringify(registration));
    return ((await registered.json()) as { token: string }).token;
  };
  for (const make of [express, express4]) {
    const app = make().use(express.json({ limit: "100kb" }), toExpressHandler(gateway) as never);
    const url = await serve((outer) => outer.use(app));
    const headers = { authorization: `Bearer ${await token(url)}` };
    const send = (length: number) =>
      post(`${url}/api/v1/telemetry`, JSON.stringify({ text: "x".repeat(length) }), headers);
    const accepted = await send(150_000);
    expect([accepted.status, (await accepted.json()).code]).toEqual([500, "internal"]);
    expect(String(logged.pop())).toMatch(/above 102400 bytes.*accepts up to 262144.*raise/);
    const larger = await send(300_000);
    expect([larger.status, (await larger.json()).code]).toEqual([413, "payload_too_large"]);
    expect((await post(`${url}/api/v1/telemetry`, "{", headers)).status).toBe(400);
    const anonymous = await post(`${url}/api/v1/telemetry`, "x".repeat(150_000));
    expect(anonymous.status).toBe(401);
    expect((await post(`${url}/about`, JSON.stringify("x".repeat(150_000)))).status).toBe(413);
    server.close();
    store = createMemoryStore();
    gateway = await createTestGateway();
  }
});

test("a mount path that publicUrl lacks is warned about once, with the right value", async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: unknown, message: string) => warnings.push(message) };
  const options = { store: createMemoryStore(), secrets: generateSecrets(), logger };
  const pathOf = async (publicUrl: string) => {
    warnings.length = 0;
    gateway = await createGateway({ ...options, publicUrl });
    const url = await serve((app) => app.use("/iot", toExpressHandler(gateway)));
    for (const path of ["/IOT/healthz", "/iot/healthz"]) await fetch(url + path);
    server.close();
    return warnings.map((warning) => /Set publicUrl to "([^"]+)"/.exec(warning)?.[1]);
  };
  expect(await pathOf("https://gateway.test")).toEqual(["https://gateway.test/IOT"]);
  expect(await pathOf("https://gateway.test/iot/")).toEqual([]);
});

test("a body that a middleware has consumed is a 500, and the log says what to do", async () => {
  const drain: RequestHandler = (request, _, next) => {
    request.resume().on("end", next);
  };
  const url = await serve((app) => app.use(drain, toExpressHandler(gateway)));
  expect((await post(url + registerPath, JSON.stringify(registration))).status).toBe(500);
  expect(String(logged[0])).toContain("Mount the gateway before it");
});

test("responses can be compressed by a middleware in front", async () => {
  const url = await serve((app) =>
    app.use(compression({ threshold: 0 }), toExpressHandler(gateway)),
  );
  const response = await fetch(`${url}/api/v1/openapi.json`, {
    headers: { "accept-encoding": "gzip" },
  });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect((await response.json()).openapi).toBe("3.1.1");
});

test("a middleware that compresses responses does not delay the events of a live stream", async () => {
  const user = { id: "alice", emailVerified: true, roles: [] };
  gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    customers: { authenticateToken: async () => user },
  });
  const url = await serve((app) =>
    app.use(compression({ threshold: 0 }), toExpressHandler(gateway)),
  );
  await post(url + registerPath, JSON.stringify(registration));
  const { deviceId, claimCode } = registration;
  const claimed = await gateway.as(customer(user)).claimDevice({ body: { deviceId, claimCode } });
  expect(claimed.isOk()).toBe(true);
  const path = `/api/v1/dashboard/devices/${deviceId}/telemetry/live`;
  const headers = { authorization: "Bearer alice", "accept-encoding": "gzip" };
  const response = await fetch(url + path, { headers });
  expect(response.headers.get("content-encoding")).toBeNull();
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("retry: 2000");
  await reader?.cancel();
});

test("the client's address is req.ip of Express", async () => {
  const headers = { "x-forwarded-for": "203.0.113.7" };
  for (const [trust, address] of [
    [1, "203.0.113.7"],
    [false, "127.0.0.1"],
  ] as const) {
    const url = await serve((app) => app.set("trust proxy", trust).use(toExpressHandler(gateway)));
    const body = { ...registration, deviceId: `gw-${address}` };
    expect((await post(url + registerPath, JSON.stringify(body), headers)).status).toBe(201);
    const events = await store.securityEvents.list({ after: 0, limit: 9 });
    expect(events.at(-1)?.clientAddress).toBe(address);
    server.close();
  }
});

test("a request whose target is a whole URL is served at the mount path", async () => {
  const url = await serve((app) => app.use("/iot", toExpressHandler(gateway)));
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET http://x/iot/readyz?a=b HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 200 /);
  socket.destroy();
});

test("a client that disconnects before its response leaves no pending request", async () => {
  let respond = () => {};
  let responded: () => void = () => {};
  const afterwards = new Promise<void>((resolve) => {
    responded = resolve;
  });
  const respondNow = () => {
    respond();
    responded();
  };
  const pinged = new Promise<void>((called) => {
    store.ping = () =>
      new Promise((resolve) => {
        respond = resolve;
        called();
      });
  });
  const gone: RequestHandler = (_, response, next) => {
    response.on("close", respondNow);
    next();
  };
  const url = await serve((app) => app.use(gone, toExpressHandler(gateway)));
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  await pinged;
  socket.destroy();
  await afterwards;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("§8 an image that express.raw has read is accepted, and one that another parser changed is a 500", async () => {
  const signer = await createReleaseSigner();
  const image = sampleImage(20_000);
  const facts = { version: "1.0.0", targetHardware: "esp32", releasedAt: "2026-01-31T12:00:00Z" };
  const described = { ...facts, ...toArtifactFacts(image) };
  const operator = { id: "op", emailVerified: true, roles: ["operator"] };
  gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    sessions: { authenticateRequest: async () => ({ user: operator, proof: "bearer" }) },
    firmware: { keys: [signer.key], artifacts: createMemoryArtifactStore() },
    logger: { ...silentLogger, error: (fields) => logged.push(fields["err"]) },
  });
  const releases = "/api/v1/operator/firmware/releases";
  const put = async (parser: RequestHandler, id: number) => {
    const url = await serve((app) => app.use(parser, toExpressHandler(gateway)));
    const headers = { "content-type": "application/octet-stream" };
    const response = await fetch(`${url}${releases}/${id}/image`, {
      method: "PUT",
      body: image,
      headers,
    });
    server.close();
    return response.status;
  };
  const url = await serve((app) => app.use(toExpressHandler(gateway)));
  const signed = { signature: await signer.sign(described), signingKeyId: signer.key.id };
  const created = await post(url + releases, JSON.stringify({ ...described, ...signed }));
  const { release } = (await created.json()) as { release: { id: number } };
  server.close();
  expect(await put(express.text({ type: "*/*" }), release.id)).toBe(500);
  expect(String(logged[0])).toContain("Mount the gateway before it");
  expect(await put(express.raw({ type: "*/*" }), release.id)).toBe(200);
});
