import { join } from "node:path";
import { operator } from "@device-gateway/core";
import { createDeviceClient } from "@device-gateway/device-client";
import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { startReceiver } from "../../../../packages/webhooks/src/testing/receiver.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "../testing/customer.js";
import { startTestServer, type TestServer } from "../testing/start-test-server.js";

useCheapScrypt();

const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

const readMetrics = async ({ metricsUrl }: TestServer) =>
  (await fetch(`${metricsUrl}/metrics`)).text();

/** Returns the value of a metric with its labels, or null if it is absent. */
const valueIn = (text: string, metric: string) => {
  const line = text.split("\n").find((one) => one.startsWith(`${metric} `));
  return line === undefined ? null : Number(line.slice(metric.length));
};

it("metrics cover everything that an alert needs, and contain no device id", async () => {
  const server = await startTestServer({ METRICS_PORT: 0, ...customerSettings });
  const device = createDeviceClient({ baseUrl: server.url });
  (await device.register({ deviceId: "planted-device", ...identity }))._unsafeUnwrap();
  (await device.sendTelemetry([{ soc: 1 }, { timestamp: 1 }]))._unsafeUnwrap();
  const customer = createCustomer(server.url, await signCustomer("planted-customer"));
  expect((await customer.claim("planted-device", "WRONGCODE")).status).toBe(401);
  await fetch(`${server.url}/api/v1/dashboard/devices/planted-device`);
  await fetch(`${server.url}/api/v1/planted-path`);

  const text = await readMetrics(server);
  const at = (metric: string) => valueIn(text, `device_gateway_${metric}`);
  expect(at('requests_total{route="sendTelemetry",status="200",code=""}')).toBe(1);
  expect(at('requests_total{route="claimDevice",status="401",code="invalid_claim"}')).toBe(1);
  expect(at('requests_total{route="readDevice",status="401",code="unauthorized"}')).toBe(1);
  expect(at('requests_total{route="none",status="404",code="not_found"}')).toBe(1);
  expect(at('request_duration_seconds_count{route="sendTelemetry"}')).toBe(1);
  expect(at('records_total{verdict="stored"}')).toBe(1);
  expect(at('records_total{verdict="timestamp_out_of_range"}')).toBe(1);
  expect(at('wrong_codes_total{at="claim"}')).toBe(1);
  expect(at("store_up")).toBe(1);
  // The first maintenance may still run.
  await expect
    .poll(async () => valueIn(await readMetrics(server), "device_gateway_store_calls"))
    .toBe(0);
  expect(at("slow_hashes_waiting")).toBe(0);
  expect(at("command_requests_waiting")).toBe(0);
  expect(at("rollup_lag_seconds")).toBeLessThan(60);
  expect(at("releases_halted")).toBe(0);
  expect(at('faults_total{cause="internal"}')).toBe(0);
  expect(valueIn(text, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
  expect(text).not.toContain("planted");
});

it("metrics show an outage of the store, with the failed calls", async () => {
  const server = await startTestServer({ METRICS_PORT: 0 });
  expect(valueIn(await readMetrics(server), "device_gateway_store_up")).toBe(1);
  // Acts as another process with a write transaction that does not end.
  const other = new Sqlite(join(server.settings.DATA_DIR, "gateway.db"));
  other.exec("BEGIN IMMEDIATE");
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const text = await readMetrics(server);
  expect(valueIn(text, "device_gateway_store_up")).toBe(0);
  const failures = 'device_gateway_store_failures_total{call="ping",kind="unavailable"}';
  expect(valueIn(text, failures)).toBe(2);
  expect(valueIn(text, 'device_gateway_faults_total{cause="store"}')).toBe(1);
  other.close();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(valueIn(await readMetrics(server), "device_gateway_store_up")).toBe(1);
  await server.stop();
  await expect(fetch(`${server.metricsUrl}/metrics`)).rejects.toThrow();
});

it("metrics are served only on their own port, and only if METRICS_PORT is set", async () => {
  const server = await startTestServer({ METRICS_PORT: 0 });
  // If the page is built, it serves all other paths of this port.
  const elsewhere = await (await fetch(`${server.url}/metrics`)).text();
  expect(elsewhere).not.toContain("device_gateway_");
  expect((await fetch(`${server.metricsUrl}/healthz`)).status).toBe(404);
  expect((await fetch(`${server.metricsUrl}/metrics`, { method: "POST" })).status).toBe(404);
  expect((await startTestServer()).metricsUrl).toBeUndefined();
});

it("metrics count deliveries, failures and waiting messages of webhooks, and show who evaluates alerts", async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = (response, { type }) =>
    void response.writeHead(type === "webhook.test" ? 204 : 500).end();
  const on = { WEBHOOKS: true, WEBHOOKS_INTRANET: true, METRICS_PORT: 0, PRESENCE_EVENTS: true };
  const server = await startTestServer(on);
  const api = server.gateway.as(operator({ id: "olga" }));
  const created = await api.createWebhook({
    query: { scope: "operator" },
    body: { url: receiver.url, filter: { kinds: ["device.registered"] } },
  });
  const { id: webhookId } = created._unsafeUnwrap().body.webhook;
  (await api.testWebhook({ params: { webhookId } }))._unsafeUnwrap();
  await expect.poll(() => receiver.received).toHaveLength(1);
  const device = createDeviceClient({ baseUrl: server.url });
  (await device.register({ deviceId: "planted-device", ...identity }))._unsafeUnwrap();
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(1);
  const at = async (metric: string) =>
    valueIn(await readMetrics(server), `device_gateway_${metric}`);
  await expect.poll(() => at("webhook_messages_waiting"), { timeout: 60_000 }).toBe(1);
  expect(await at('webhook_attempts_total{outcome="delivered"}')).toBe(1);
  expect(await at('webhook_attempts_total{outcome="failed"}')).toBeGreaterThan(0);
  expect(await at("webhook_dead_letters_total")).toBe(0);
  expect(await at("webhook_lag_seconds")).toBeGreaterThanOrEqual(0);
  await expect.poll(() => at("alerts_active"), { timeout: 60_000 }).toBe(1);
  await expect
    .poll(() => at("alerts_judged_devices_total"), { timeout: 60_000 })
    .toBeGreaterThan(0);
  expect(await at("alerts_lag_seconds")).toBeGreaterThanOrEqual(0);
  expect(await readMetrics(server)).not.toContain("planted");
});
