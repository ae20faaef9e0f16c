import { type RouteName, routes } from "@device-gateway/core/contract";
import type { ReleaseSigner } from "../../packages/testing/src/fixtures/release-signer.js";
import { toArtifactFacts } from "../../packages/testing/src/fixtures/sample-image.js";
import type { Received, Sent } from "./send.js";
import { sendWebhookRequests } from "./send-webhook-requests.js";

const deviceId = "gw-1";
const claimCode = "ABCD-EFGH";
const identity = { deviceId, hardwareId: "esp32", firmwareVersion: "1.0.0" };
const customer = "a-customer";
const operator = "an-operator";
/** Text, because Prism passes bodies on as text. */
const image = "An image that is text. ".repeat(100);

interface Helpers {
  readonly signer: ReleaseSigner;
  /** Evaluates all alert rules. */
  evaluate(): Promise<unknown>;
}

/**
 * Sends successful and refused requests to the operations. Returns the names of those that succeeded.
 * @throws {Error} if a response does not have the expected status.
 */
export async function sendRequests(
  url: string,
  { signer, evaluate }: Helpers,
): Promise<Set<string>> {
  const succeeded = new Set<string>();

  async function send(name: RouteName, status: number, sent: Sent = {}): Promise<Received> {
    const { token, path = {}, query = "", headers, body, image: bytes } = sent;
    const { method, scope } = routes[name];
    const filled = routes[name].path.replaceAll(/:(\w+)/g, (_, part: string) => `${path[part]}`);
    const type = bytes === undefined ? "application/json" : "application/octet-stream";
    const content = bytes ?? (body && JSON.stringify(body));
    const response = await fetch(`${url}${scope === "api" ? "/api/v1" : ""}${filled}${query}`, {
      method,
      headers: {
        ...(content !== undefined && { "content-type": type }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    if (response.status !== status) {
      throw new Error(`${name} is ${response.status} instead of ${status}: ${text}`);
    }
    if (response.ok) succeeded.add(name);
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as object) : {},
    } as Received;
  }

  // A device registers, logs in and sends telemetry.
  const { body: registered } = await send("registerDevice", 201, {
    body: { ...identity, claimCode },
  });
  await send("registerDevice", 409, { body: { ...identity, claimCode: "OTHER-CODE" } });
  const { deviceSecret } = registered as { deviceSecret: string };
  const { body: loggedIn } = await send("loginDevice", 200, { body: { deviceId, deviceSecret } });
  await send("loginDevice", 401, { body: { deviceId, deviceSecret: "wrong".repeat(9) } });
  const { token: device } = loggedIn as { token: string };
  const late = { soc: 63, timestamp: "2000-01-01T00:00:00Z" };
  const records = { records: [{ soc: 64, bms: { cells: [3.3, 3.4] } }, late] };
  await send("sendTelemetry", 200, { token: device, body: records });
  await send("sendTelemetry", 401, { token: "wrong", body: records });
  const config = await send("readConfig", 200, { token: device });
  const known = { "if-none-match": config.headers.get("etag") ?? "" };
  await send("readConfig", 304, { token: device, headers: known });

  // A customer claims it, and reads and configures it.
  const mine = { token: customer, path: { deviceId } };
  const wrong = { deviceId, claimCode: "WRONG-CODE" };
  await send("claimDevice", 401, { token: customer, body: wrong });
  await send("claimDevice", 200, { token: customer, body: { deviceId, claimCode } });
  await send("listDevices", 200, { token: customer, query: "?limit=5" });
  await send("readDevice", 200, mine);
  await send("readDevice", 404, { token: customer, path: { deviceId: "gw-2" } });
  await send("renameDevice", 200, { ...mine, body: { name: "Boiler room" } });
  await send("patchDevice", 200, { ...mine, body: { name: "Boiler" } });
  await send("changeDeviceConfig", 200, { ...mine, body: { telemetryIntervalSeconds: 30 } });
  await send("readDeviceConfig", 200, mine);
  await send("readTelemetryHistory", 200, { ...mine, query: "?hours=1" });
  await send("readTelemetryHistory", 200, { ...mine, query: "?hours=1&interval=1m" });
  await send("exportTelemetry", 200, { ...mine, query: "?format=ndjson" });
  await send("exportTelemetry", 200, { ...mine, query: "?format=csv" });
  await send("openReEnrolment", 200, mine);
  await send("readRefusals", 200, mine);

  // The customer is alerted.
  const condition = { kind: "above", metric: "soc", threshold: 90 };
  const newRule = { token: customer, body: { name: "Battery full", condition } };
  const { body: made } = await send("createAlertRule", 201, newRule);
  await send("createAlertRule", 403, { ...newRule, query: "?scope=operator" });
  const { id: ruleId } = (made as { rule: { id: string } }).rule;
  const ofRule = { token: customer, path: { ruleId } };
  await send("listAlertRules", 200, { token: customer });
  await send("changeAlertRule", 200, { ...ofRule, body: { reminderSeconds: 600 } });
  await evaluate();
  await send("sendTelemetry", 200, { token: device, body: { soc: 99 } });
  await evaluate();
  const { body: listed } = await send("listAlerts", 200, { token: customer });
  const [alert] = (listed as { alerts: { id: string }[] }).alerts;
  const ofAlert = { token: customer, path: { alertId: alert?.id ?? "" } };
  await send("acknowledgeAlert", 200, ofAlert);
  await send("muteAlert", 200, { ...ofAlert, body: { until: "2030-01-31T12:00:00Z" } });
  await send("removeAlertRule", 204, ofRule);
  await send("removeAlertRule", 404, ofRule);

  await sendWebhookRequests(send, operator);

  // An operator publishes firmware, and the device installs it.
  const facts = {
    version: "1.1.0",
    targetHardware: "esp32",
    releasedAt: "2026-01-31T12:00:00Z",
    ...toArtifactFacts(new TextEncoder().encode(image)),
  };
  const signature = await signer.sign(facts);
  const signed = { signature, signingKeyId: signer.key.id, signatureAlgorithm: signer.algorithm };
  const release = { token: operator, body: { ...facts, ...signed } };
  const { body: created } = await send("createRelease", 201, release);
  const { id: releaseId } = (created as { release: { id: number } }).release;
  const ofRelease = { token: operator, path: { releaseId, deviceId } };
  await send("createRelease", 403, { ...release, token: customer });
  await send("uploadReleaseImage", 200, { ...ofRelease, image });
  await send("changeRelease", 200, { ...ofRelease, body: { status: "active" } });
  await send("readRelease", 200, ofRelease);
  await send("listReleases", 200, { token: operator, query: "?status=active" });
  await send("listDashboardReleases", 200, { token: customer });
  await send("explainOffer", 200, ofRelease);
  await send("readLatestFirmware", 200, { token: device });
  await send("downloadFirmware", 200, { token: device, path: { releaseId } });
  const range = { range: "bytes=5-" };
  await send("downloadFirmware", 206, { token: device, path: { releaseId }, headers: range });
  await send("reportUpdate", 202, {
    token: device,
    body: { state: "installing", version: "1.1.0" },
  });
  const { body: command } = await send("commandUpdate", 202, mine);
  await send("readUpdateCommand", 200, mine);
  const answer = { requestId: command["requestId"], status: "failed" };
  await send("answerUpdateCommand", 202, { token: device, body: answer });
  await send("readOtaHistory", 200, mine);

  // The operator manages the device, until the customer gives it back.
  const any = { token: operator, path: { deviceId } };
  await send("listAllDevices", 200, { token: operator });
  await send("listAllDevices", 403, { token: customer });
  await send("inspectDevice", 200, any);
  await send("setOtaTarget", 200, { ...any, body: { otaChannel: "beta" } });
  const { body: sent } = await send("sendCommand", 201, { ...mine, body: { name: "blink" } });
  const { commandId } = (sent as { command: { commandId: string } }).command;
  const ofCommand = { ...mine, path: { deviceId, commandId } };
  await send("readCommand", 200, ofCommand);
  await send("fetchCommands", 200, { token: device, query: "?wait=1" });
  const done = { status: "done", result: { times: 3 } };
  await send("reportCommand", 202, { token: device, path: { commandId }, body: done });
  await send("cancelCommand", 409, ofCommand);
  const { body: second } = await send("sendCommand", 201, { ...mine, body: { name: "blink" } });
  const { commandId: secondId } = (second as { command: { commandId: string } }).command;
  await send("cancelCommand", 200, { ...mine, path: { deviceId, commandId: secondId } });
  await send("listCommands", 200, mine);
  await send("changeDeviceMetadata", 200, { ...any, body: { site: "north" } });
  await send("readDeviceMetadata", 200, any);
  const hardware = { token: operator, query: "?targetHardware=gw-2" };
  const described = { "cells.*": { displayName: "Cell *", unit: "V", decimals: 3, min: 2.5 } };
  await send("changeHardwareMetrics", 200, { ...hardware, body: described });
  await send("readHardwareMetrics", 200, hardware);
  await send("readDeviceMetrics", 200, mine);
  await send("readConfigHistory", 200, mine);
  await send("listTelemetryRecords", 200, mine);
  await send("clearUpdateBlocks", 204, any);
  const bulk = { deviceIds: [deviceId, "gw-2"], action: { kind: "revoke" } };
  await send("changeDevices", 200, { token: operator, body: bulk });
  await send("revokeDevice", 200, any);
  await send("reinstateDevice", 200, any);
  await send("readAuditTrail", 200, { token: operator, query: "?limit=100" });
  await send("releaseDevice", 204, mine);
  await send("eraseDevice", 204, any);

  await send("readOpenApi", 200);
  await send("readLiveness", 200);
  await send("readReadiness", 200);
  return succeeded;
}
