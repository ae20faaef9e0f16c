import { request as requestNode } from "node:http";
import { validate } from "@readme/openapi-parser";
import { expect, onTestFinished, test } from "vitest";
import { createTestCloud } from "../cloud/create-test-cloud.js";
import { controlOpenApi } from "./control-openapi.js";
import { type ControlRoute, type ControlRouteName, controlRoutes } from "./control-routes.js";
import { serveControl } from "./serve-control.js";
import { startTestCloud } from "./start-test-cloud.js";

async function start() {
  const started = await startTestCloud();
  onTestFinished(() => started.close());
  const { url, controlUrl } = started;
  const called = new Set<ControlRouteName>();

  /** Calls an operation and checks its response against the declared one. */
  async function call(
    name: ControlRouteName,
    {
      params = {},
      query = {},
      body,
    }: {
      params?: Record<string, string>;
      query?: Record<string, string>;
      body?: object;
    } = {},
  ) {
    called.add(name);
    const route: ControlRoute = controlRoutes[name];
    const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => params[key] ?? "");
    const response = await fetch(`${controlUrl}${path}?${new URLSearchParams(query)}`, {
      method: route.method,
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    expect(response.status, text).toBe(route.status);
    if (route.answer === undefined) return expect(text).toBe("") as never;
    const answer = JSON.parse(text);
    expect(route.answer.safeParse(answer).error).toBeUndefined();
    return answer;
  }

  const send = async (token: string) =>
    fetch(`${url}/api/v1/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"soc":64}',
    }).then(
      ({ status }) => status,
      () => null,
    );
  return { url, controlUrl, call, send, called };
}

test("the control API does everything that a test cloud can do", async () => {
  const { url, call, send, called } = await start();
  const cloud = await call("readCloud");
  expect(cloud).toMatchObject({ url, online: true, releaseKey: { id: "test-key" } });

  const deviceId = "gw-1";
  const { token } = await call("addDevice", { body: { deviceId, owner: "alice" } });
  expect(await send(token)).toBe(200);
  const body = { route: "sendTelemetry", fault: { kind: "server_error", status: 502 }, after: 1 };
  await call("fail", { body });
  expect([await send(token), await send(token), await send(token)]).toEqual([200, 502, 200]);
  await call("fail", { body: { route: "any", fault: { kind: "unreachable" }, times: 9 } });
  await call("clearFaults");
  await call("goOffline");
  expect(await send(token)).toBeNull();
  expect((await call("readCloud")).online).toBe(false);
  await call("goOnline");
  await call("restart");
  expect(await send(token)).toBe(200);
  expect((await call("readRecords", { params: { deviceId } })).records).toHaveLength(4);

  const { requests } = await call("readRequests", { query: { route: "sendTelemetry" } });
  expect(requests.map(({ status }: { status: number }) => status)).toEqual([
    ...[200, 200, 502, 200, 200],
  ]);
  expect(requests[2]).toMatchObject({
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: null,
    fault: body.fault,
  });

  const image = new Uint8Array([1, 2, 3]);
  const query = { version: "1.1.0", targetHardware: "esp32:devkit-v1", rolloutPercent: "50" };
  expect(await call("addRelease", { query, body: image })).toMatchObject({ rolloutPercent: 50 });
  const operator = await call("signIn", { body: { id: "olga", operator: true } });
  const headers = { authorization: `Bearer ${operator.token}` };
  const listed = await (await fetch(`${url}/api/v1/operator/devices`, { headers })).json();
  expect(listed.devices).toMatchObject([{ id: deviceId, ownerId: "alice" }]);

  const { now } = await call("advanceClock", { body: { ms: 3_600_000 } });
  expect(now).toBeGreaterThanOrEqual(cloud.now + 3_600_000);
  await call("expireTokens");
  expect(await send(token)).toBe(401);
  await call("revokeDevice", { params: { deviceId } });
  const { events } = await call("readAuditTrail");
  expect(events.map(({ kind }: { kind: string }) => kind)).toContain("device.revoked");

  await call("presentCertificate", { body: { kind: "expired" } });
  const plan = { clock: "still", limits: { tokenTtlSeconds: 300 }, commands: ["blink"] };
  const empty = await call("reset", { body: plan });
  expect(empty).toMatchObject({ url, now: Date.UTC(2025, 0, 1), releaseKey: cloud.releaseKey });
  expect(await call("readRequests")).toEqual({ requests: [] });

  const device = await call("addDevice", { body: { deviceId } });
  const sent = { name: "blink", payload: { times: 3 } };
  const { commandId } = await call("sendCommand", { params: { deviceId }, body: sent });
  const read = () => call("readCommand", { params: { deviceId, commandId } });
  expect(await read()).toMatchObject({ ...sent, state: "pending" });
  const path = `${url}/api/v1/device/commands`;
  const ofDevice = {
    authorization: `Bearer ${device.token}`,
    "content-type": "application/json",
  };
  const waiting = await (await fetch(path, { headers: ofDevice })).json();
  expect(waiting.commands).toMatchObject([{ commandId, ...sent }]);
  const result = { method: "POST", headers: ofDevice, body: '{"status":"done","result":1}' };
  expect((await fetch(`${path}/${commandId}/result`, result)).status).toBe(202);
  expect(await read()).toMatchObject({ state: "done", answer: { result: 1 } });

  expect(await call("readOpenApi")).toEqual(JSON.parse(JSON.stringify(controlOpenApi())));
  expect([...called].sort()).toEqual(Object.keys(controlRoutes).sort());
});

test("the OpenAPI document of the control API is valid", async () => {
  const document = structuredClone(controlOpenApi());
  expect(await validate(document as never)).toMatchObject({ valid: true });
});

test("an invalid request is refused with a sentence", async () => {
  const { controlUrl } = await start();
  const post = async (path: string, body: string, method = "POST") => {
    const response = await fetch(controlUrl + path, { method, body });
    return [response.status, (await response.json()).error];
  };
  const fault = '{"route":"sendTelemetry","fault":{"kind":"unknown"}}';
  expect(await post("/faults", fault)).toEqual([400, expect.stringContaining("fault.kind")]);
  expect(await post("/faults", "{")).toEqual([400, "The body is not JSON."]);
  expect(await post("/cloud/reset", '{"limits":{"speed":1}}')).toEqual([
    ...[400, 'limits: Unrecognized key: "speed"'],
  ]);
  expect(await post("/cloud/reset", '{"commands":["update-now"]}')).toEqual([
    ...[400, "commands: Leave out update-now: the gateway declares it itself."],
  ]);
  expect(await post("/faults", "", "PUT")).toEqual([
    ...[405, "/faults takes POST and DELETE, not PUT."],
  ]);
  expect(await post("/fault", "{}")).toEqual([404, expect.stringContaining("/openapi.json")]);
  const device = '{"deviceId":"gw-1","claimCode":"?"}';
  expect(await post("/devices", device)).toEqual([
    409,
    expect.stringContaining("POST /device/register failed"),
  ]);
  expect(await post("/devices/gw-9/revoke", "")).toEqual([
    409,
    expect.stringContaining("device_not_found"),
  ]);
  expect(await post("/devices/gw-1/commands", '{"name":"blink"}')).toEqual([
    ...[409, expect.stringContaining("The commands are: update-now.")],
  ]);
});

test("only loopback needs no token, and no web page is answered", async () => {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const url = await cloud.listen();
  await expect(serveControl(cloud, { url, host: "0.0.0.0" })).rejects.toThrow("needs a token");
  const open = await serveControl(cloud, { url });
  const closed = await serveControl(cloud, { url, token: "secret" });
  onTestFinished(async () => {
    await open.close();
    await closed.close();
  });
  const status = (server: { url: string }, headers: Record<string, string> = {}) =>
    new Promise((resolve) => {
      requestNode(`${server.url}/cloud`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
  expect(await status(open)).toBe(200);
  expect(await status(open, { origin: "http://evil.example" })).toBe(403);
  // A name that an attacker's DNS server resolves to this machine.
  expect(await status(open, { host: "evil.example" })).toBe(403);
  expect(await status(closed)).toBe(401);
  expect(await status(closed, { authorization: "Bearer wrong" })).toBe(401);
  expect(await status(closed, { authorization: "Bearer secret" })).toBe(200);
});
