import { silentLogger } from "@device-gateway/core";
import { expect, test, vi } from "vitest";
import { runExample } from "../../../scripts/run-example.js";
import { describeNotification } from "./delivery/describe-notification.js";
import { createAlerts, startAlerts } from "./start-alerts.js";
import { openAlertWorld } from "./testing/alert-world.js";

test("§8 the example of docs/alerts.md sends alerts through a channel of its own until SIGTERM", async () => {
  const { store, register, addRule, send } = openAlertWorld();
  await register("gw-1");
  const condition = { kind: "below", metric: "soc", threshold: 20, clearAt: 25 } as const;
  await addRule("low", { name: "Battery low", condition: { ...condition, holdSeconds: 0 } });
  await send("gw-1", { soc: 12 });
  const sendPush = vi.fn();
  const once = vi.fn<(signal: string, stop: () => Promise<void>) => void>();
  await runExample("alerts.md", "const push: AlertChannel", {
    ...{ createAlerts, startAlerts, describeNotification, store, sendPush, process: { once } },
    ...{ gateway: { telemetryInterval: () => 60 }, logger: silentLogger },
  });
  await expect.poll(() => sendPush.mock.calls).toHaveLength(1);
  const [alert] = await store.alerts.firing(["gw-1"]);
  expect(sendPush.mock.calls).toEqual([
    ["alice", `${alert?.id}-firing`, "Battery low (gw-1) is firing"],
  ]);
  const [signal, stop] = once.mock.calls[0] ?? [];
  expect(signal).toBe("SIGTERM");
  await stop?.();
});
