import { createMemoryStore } from "@device-gateway/store-memory";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { ClientGoneError } from "../http/request/client-gone-error.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import type { Observation } from "./observation.js";

const kinds = ["request.answered", "telemetry.judged", "code.refused", "store.failed"] as const;

async function observe(store: GatewayStore = createMemoryStore()) {
  const cloud = await createTestCloud({ gateway: { store } });
  onTestFinished(() => cloud.close());
  const observed: Observation[] = [];
  for (const kind of kinds) cloud.gateway.on(kind, (event) => void observed.push(event));
  const call = (method: string, path: string, token = "", body?: unknown) =>
    cloud.fetch(`${cloud.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { cloud, observed, call };
}

test("each response is observed with route, status and error code, and never with a device id", async () => {
  const { observed, call } = await observe();
  await call("GET", "/api/v1/dashboard/devices/planted-device");
  await call("GET", "/healthz");
  await call("POST", "/healthz");
  await call("GET", "/planted-path");
  const responses = observed.map((event) => (event.kind === "request.answered" ? event : null));
  expect(responses).toEqual([
    expect.objectContaining({ route: "readDevice", status: 401, code: "unauthorized" }),
    expect.objectContaining({ route: "readLiveness", status: 200, code: null, fault: null }),
    expect.objectContaining({ route: null, status: 405, code: "method_not_allowed" }),
    expect.objectContaining({ route: null, status: 404, code: "not_found" }),
  ]);
  expect(responses.every((event) => event !== null && event.durationMs >= 0)).toBe(true);
  expect(JSON.stringify(observed)).not.toContain("planted");
});

test("telemetry records are observed by their verdict", async () => {
  const { cloud, observed, call } = await observe();
  const { token } = await cloud.addDevice();
  const known = { timestamp: cloud.clock.now(), soc: 1 };
  await call("POST", "/api/v1/telemetry", token, known);
  await call("POST", "/api/v1/telemetry", token, [known, { soc: 2 }, "none", { timestamp: 1 }]);
  expect(observed.filter(({ kind }) => kind === "telemetry.judged")).toEqual([
    { kind: "telemetry.judged", stored: 1, duplicates: 0, rejected: [] },
    {
      ...{ kind: "telemetry.judged", stored: 1, duplicates: 1 },
      rejected: ["not_an_object", "timestamp_out_of_range"],
    },
  ]);
});

test("wrong codes are observed, correct ones are not", async () => {
  const { cloud, observed, call } = await observe();
  const { deviceId, claimCode } = await cloud.addDevice();
  const alice = cloud.signIn("alice");
  const claim = (code: string) =>
    call("POST", "/api/v1/user/devices/claim", alice, { deviceId, claimCode: code });
  await claim("WRONGCODE");
  await claim(claimCode);
  await cloud.addDevice({ deviceId: "gw-2", hardwareId: "board" });
  const identity = { deviceId: "gw-2", hardwareId: "board", firmwareVersion: "1.0.0" };
  await call("POST", "/api/v1/device/register", "", { ...identity, claimCode: "WRONGCODE" });
  expect(observed.filter(({ kind }) => kind === "code.refused")).toEqual([
    { kind: "code.refused", at: "claim" },
    { kind: "code.refused", at: "register" },
  ]);
});

test("a failed store call is observed, and named as the fault of the response", async () => {
  const store = createMemoryStore();
  const outage = { isOn: false };
  const devices = {
    ...store.devices,
    list: async (...input: Parameters<typeof store.devices.list>) => {
      if (outage.isOn) throw new StoreUnavailableError("planted");
      return store.devices.list(...input);
    },
  };
  const { cloud, observed, call } = await observe({ ...store, devices });
  const olga = cloud.signIn("olga", { operator: true });
  outage.isOn = true;
  expect((await call("GET", "/api/v1/operator/devices", olga)).status).toBe(503);
  outage.isOn = false;
  expect((await call("GET", "/api/v1/operator/devices", olga)).status).toBe(200);
  expect(observed).toEqual([
    { kind: "store.failed", call: "devices.list", unavailable: true },
    expect.objectContaining({ status: 503, code: "unavailable", fault: "store" }),
    expect.objectContaining({ status: 200, fault: null }),
  ]);
});

test("a store call that ends because its client is gone is not a failed call", async () => {
  const store = createMemoryStore();
  const list = () => Promise.reject(new ClientGoneError("planted"));
  const { cloud, observed, call } = await observe({
    ...store,
    devices: { ...store.devices, list },
  });
  const olga = cloud.signIn("olga", { operator: true });
  await call("GET", "/api/v1/operator/devices", olga);
  expect(observed).toEqual([expect.objectContaining({ fault: "client_gone" })]);
});
