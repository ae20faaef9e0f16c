import type { AlertLevels } from "@device-gateway/alerts";
import type { SenderLevels } from "@device-gateway/webhooks";
import { Counter, Gauge, type Registry } from "prom-client";

const prefix = "device_gateway_";

/** Creates the metrics of webhooks. Returns a function that sets them. */
export function createWebhookMetrics(registry: Registry): (levels: SenderLevels) => void {
  const registers = [registry];
  const attempts = new Counter({
    ...{ name: `${prefix}webhook_attempts_total`, registers, labelNames: ["outcome"] },
    help: "Attempts to deliver a message to a webhook, by outcome: delivered or failed.",
  });
  const dead = new Counter({
    ...{ name: `${prefix}webhook_dead_letters_total`, registers },
    help: "Messages to webhooks that were given up.",
  });
  const waiting = new Gauge({
    ...{ name: `${prefix}webhook_messages_waiting`, registers },
    help: "Messages that wait for another attempt, of the webhooks that this process serves.",
  });
  const lag = new Gauge({
    ...{ name: `${prefix}webhook_lag_seconds`, registers },
    help: "Age of the oldest message that waits. 0 if none does, or another process serves.",
  });
  return (levels) => {
    for (const one of [attempts, dead]) one.reset();
    attempts.inc({ outcome: "delivered" }, levels.delivered);
    attempts.inc({ outcome: "failed" }, levels.failed);
    dead.inc(levels.deadLetters);
    waiting.set(levels.waiting);
    lag.set(levels.lagSeconds);
  };
}

/** Creates the metrics of alerts. Returns a function that sets them. */
export function createAlertMetrics(registry: Registry): (levels: AlertLevels) => void {
  const registers = [registry];
  const active = new Gauge({
    ...{ name: `${prefix}alerts_active`, registers },
    help: "1 if this process evaluates alert rules, else 0.",
  });
  const lag = new Gauge({
    ...{ name: `${prefix}alerts_lag_seconds`, registers },
    help: "Time since the start of the last complete evaluation. 0 if another process evaluates.",
  });
  const judged = new Counter({
    ...{ name: `${prefix}alerts_judged_devices_total`, registers },
    help: "Devices that were judged by alert rules.",
  });
  return (levels) => {
    judged.reset();
    active.set(levels.isActive ? 1 : 0);
    lag.set(levels.lagSeconds);
    judged.inc(levels.judged);
  };
}
