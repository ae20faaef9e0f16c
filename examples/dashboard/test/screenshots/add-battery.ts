import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import Sqlite from "better-sqlite3";
import type { Page } from "playwright-core";
import { batteryMetrics, makeBatteryRecords } from "../pictures/battery.js";
import type { Site } from "../start-site.js";
import type { Receiver } from "./start-receiver.js";

const deviceId = "battery-1";
const claimCode = "7K2M-9QXT-4HNB-W5RD";
const low = { kind: "below", metric: "soc", threshold: 20, clearAt: 25 };
const high = { kind: "above", metric: "cells.0.voltage", threshold: 3.6 };

interface Lists {
  readonly alerts: readonly object[];
  readonly messages: readonly object[];
  readonly attempts: readonly object[];
  readonly token: string;
  readonly webhook: { readonly id: string };
}

/**
 * Adds a battery of the signed-in operator with a day of readings, an alert that fires and one that cleared. One webhook
 * delivers their events, and another fails and has a dead letter.
 */
export async function addBattery(page: Page, site: Site, receiver: Receiver): Promise<void> {
  const call = async (method: string, path: string, data?: object, more = {}): Promise<Lists> => {
    const headers = { origin: site.url, ...more };
    const response = await page.request.fetch(`/api${path}`, {
      ...{ method, headers, ...(data && { data }) },
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${text}`);
    return JSON.parse(text === "" ? "{}" : text) as Lists;
  };
  const until = async (path: string, isDone: (lists: Lists) => boolean) => {
    while (!isDone(await call("GET", `/v1/dashboard${path}`))) await page.waitForTimeout(100);
  };

  const battery = createDeviceClient({ baseUrl: site.url });
  const hardware = { hardwareId: "bms:v2", targetHardware: "bms", firmwareVersion: "2.3.0" };
  const registered = await battery.register({ deviceId, claimCode, ...hardware });
  const { deviceSecret } = registered._unsafeUnwrap();
  const { token } = await call("POST", "/auth/token");
  const authorization = `Bearer ${token}`;
  await call("POST", "/v1/user/devices/claim", { deviceId, claimCode }, { authorization });
  await call("PATCH", "/v1/operator/metrics?targetHardware=bms", batteryMetrics);
  (await battery.login({ deviceId, deviceSecret }))._unsafeUnwrap();
  (await battery.sendTelemetry(makeBatteryRecords(Date.now() - 60_000)))._unsafeUnwrap();

  const addWebhook = async (url: string, kinds: readonly string[]) => {
    const data = { url, filter: { kinds, targetHardware: [] } };
    return (await call("POST", "/v1/dashboard/webhooks?scope=operator", data)).webhook.id;
  };
  const good = await addWebhook(receiver.goodUrl, []);
  const bad = await addWebhook(receiver.badUrl, ["alert.firing", "alert.cleared"]);
  for (const scope of ["own", "operator"]) {
    const rules: readonly (readonly [string, object])[] = [
      ["Battery nearly empty", low],
      ["Voltage of cell 1 too high", high],
      ["Gateway silent", { kind: "silent", intervals: 5 }],
    ];
    for (const [name, condition] of rules) {
      const data = { name, condition, targetHardware: "bms" };
      await call("POST", `/v1/dashboard/alert-rules?scope=${scope}`, data);
    }
  }
  const [last] = makeBatteryRecords(Date.now()).slice(-1);
  const [cell, ...others] = last?.cells ?? [];
  const send = async (first: typeof cell) => {
    const cells = [first, ...others];
    const record = { ...last, soc: 18.5, cells, timestamp: new Date().toISOString() };
    (await battery.sendTelemetry([record]))._unsafeUnwrap();
  };
  const untilAlerts = async (count: number) => {
    for (const scope of ["own", "operator"])
      await until(`/alerts?scope=${scope}`, ({ alerts }) => alerts.length === count);
  };
  await send({ voltage: 3.652 });
  await untilAlerts(2);
  await send(cell);
  await untilAlerts(1);
  await call("POST", `/v1/dashboard/webhooks/${good}/test`);
  await until(`/webhooks/${good}/attempts`, ({ attempts }) => attempts.length > 3);
  await until(`/webhooks/${bad}/messages?state=waiting`, ({ messages }) => messages.length > 2);
  // A message is given up after three days.
  const database = new Sqlite(join(site.dataDir, "gateway.db"));
  database
    .prepare(
      `UPDATE webhook_deliveries SET is_dead = 1
       WHERE message_id IN (SELECT min(message_id) FROM webhook_deliveries WHERE endpoint_id = ?)`,
    )
    .run(bad);
  database.close();
}
