import { createMemoryStore } from "@device-gateway/store-memory";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import type { LogFields, Logger } from "../ports/logger.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";

/** Log lines about work for many requests or none, which have no request to name. */
const ofNobody = [
  "Could not read the change feed. Every request reads the store until it works again.",
];

function recordLog() {
  const lines: { fields: LogFields; message: string }[] = [];
  const note = (fields: LogFields, message: string) => void lines.push({ fields, message });
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  return { lines, logger };
}

/** A store that fails to record facts about a device. Such a failure must not cost the response. */
function forgetful(store: GatewayStore): GatewayStore {
  const fail = async () => {
    throw new StoreUnavailableError("planted");
  };
  return {
    ...store,
    devices: { ...store.devices, recordSeen: fail },
    updates: { ...store.updates, report: fail },
    changes: { ...store.changes, since: fail },
  };
}

test("every log line that a request causes contains its id", async () => {
  const store = createMemoryStore();
  const { lines, logger } = recordLog();
  const secrets = generateSecrets();
  const whole = await createTestCloud({ gateway: { store, secrets } });
  const { token } = await whole.addDevice({ deviceId: "gw-1" });
  const hardware = (await store.devices.find("gw-1"))?.profile.targetHardware ?? "";
  const cloud = await createTestCloud({
    gateway: { store: forgetful(store), logger, secrets },
  });
  onTestFinished(() => cloud.close());
  const image = new Uint8Array(64);
  const { id } = await cloud.addRelease({ version: "2.0.0", targetHardware: hardware, image });
  cloud.gateway.on("device.registered", () => {
    throw new Error("planted");
  });
  lines.length = 0;
  let calls = 0;
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-request-id": `request-${++calls}`,
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await cloud.fetch(`${cloud.baseUrl}/api/v1${path}`, {
      method,
      headers,
      ...sent,
    });
    await answer.arrayBuffer();
    expect(answer.headers.get("x-request-id")).toBe(`request-${calls}`);
  };
  await call("GET", "/device/config");
  await call("GET", `/ota/firmware/${id}`);
  await call("GET", "/ota/latest");
  await call("POST", "/ota/events", { state: "failed", version: "2.0.0" });
  const identity = { deviceId: "gw-2", hardwareId: "board", firmwareVersion: "1.0.0" };
  await call("POST", "/device/register", { ...identity, claimCode: "ABCDEFGH" });
  await new Promise((done) => setImmediate(done));

  const messages = new Set(lines.map(({ message }) => message));
  expect(messages).toContain("Could not record when the device was last seen.");
  expect(messages).toContain("Could not record the progress of a download");
  expect(messages).toContain("Request failed: unavailable");
  expect(messages).toContain("A listener of the gateway's events failed.");
  expect(messages).toContain("Request answered");
  for (const { fields, message } of lines) {
    if (ofNobody.includes(message)) continue;
    expect(fields["requestId"], message).toMatch(/^request-\d$/);
  }
});
