import type { AlertLevels } from "@device-gateway/alerts";
import type { FaultCause, Gateway } from "@device-gateway/core";
import type { SinkLevels } from "@device-gateway/telemetry-sink";
import type { SenderLevels } from "@device-gateway/webhooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { createAlertMetrics, createWebhookMetrics } from "./event-metrics.js";
import { createSinkMetrics } from "./sink-metrics.js";

const prefix = "device_gateway_";
/** Histogram buckets in seconds, from a fast commit to the response time-out. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const faultCauses: readonly FaultCause[] = [
  "store",
  "slow_hash",
  "authenticator",
  "deadline",
  "client_gone",
  "internal",
];

/** Counts events. Labels come from the contract, so that their number is bounded and they contain no device ids. */
function countObservations(gateway: Pick<Gateway, "on">, registers: Registry[]): void {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: prefix + name, help, labelNames, registers });
  const requests = counter("requests_total", "Responses by route, status and error code.", [
    ...(["route", "status", "code"] as const),
  ]);
  const duration = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: "Time until the first byte of the response.",
    labelNames: ["route"],
    buckets: durations,
    registers,
  });
  const faults = counter("faults_total", "Responses with status 5xx by cause.", ["cause"]);
  const records = counter(
    "records_total",
    "Telemetry records: stored, duplicate or the reason for rejection.",
    ["verdict"],
  );
  const wrongCodes = counter("wrong_codes_total", "Wrong claim codes.", ["at"]);
  const storeFailures = counter("store_failures_total", "Failed store calls.", [
    ...(["call", "kind"] as const),
  ]);

  // Start at 0: an alert on an increase misses a series whose first value is 1.
  for (const cause of faultCauses) faults.inc({ cause }, 0);

  gateway.on("request.answered", ({ route, status, code, fault, durationMs }) => {
    const name = route ?? "none";
    requests.inc({ route: name, status, code: code ?? "" });
    duration.observe({ route: name }, durationMs / 1000);
    if (fault !== null) faults.inc({ cause: fault });
  });
  gateway.on("telemetry.judged", ({ stored, duplicates, rejected }) => {
    records.inc({ verdict: "stored" }, stored);
    if (duplicates > 0) records.inc({ verdict: "duplicate" }, duplicates);
    for (const verdict of rejected) records.inc({ verdict });
  });
  gateway.on("code.refused", ({ at }) => wrongCodes.inc({ at }));
  gateway.on("store.failed", ({ call, unavailable }) => {
    storeFailures.inc({ call, kind: unavailable ? "unavailable" : "fault" });
  });
}

/** Creates the gauges. Returns a function that reads all levels at once and sets them. */
function gaugeLevels(
  gateway: Pick<Gateway, "readLevels">,
  registry: Registry,
): () => Promise<void> {
  const startedAt = Date.now();
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name: prefix + name, help, registers });
  const storeCalls = gauge("store_calls", "Pending store calls.");
  const hashes = gauge("slow_hashes_waiting", "Slow hashes in the queue.");
  const waiters = gauge("command_requests_waiting", "Requests of devices that wait for commands.");
  const lag = gauge(
    "rollup_lag_seconds",
    "Time since the start of the last maintenance run that finished.",
  );
  const up = gauge("store_up", "1 if the store answers, else 0.");
  const active = gauge("releases_active", "Active releases.");
  const halted = gauge(
    "releases_halted",
    "Releases that were paused because too many updates failed.",
  );
  const updates = new Gauge({
    name: `${prefix}updates`,
    help: "Devices by the state of their update to an active or paused release.",
    labelNames: ["state"],
    registers,
  });
  return async () => {
    const levels = await gateway.readLevels();
    storeCalls.set(levels.storeCalls);
    hashes.set(levels.slowHashesWaiting);
    waiters.set(levels.commandWaiters);
    lag.set((Date.now() - (levels.maintainedAt ?? startedAt)) / 1000);
    up.set(levels.fleet === null ? 0 : 1);
    if (levels.fleet === null) return;
    const { activeReleases, haltedReleases } = levels.fleet;
    active.set(activeReleases);
    halted.set(haltedReleases);
    updates.reset();
    for (const [state, count] of Object.entries(levels.fleet.updates)) {
      updates.set({ state }, count);
    }
  };
}

export interface Metrics {
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  read(): Promise<string>;
}

/** Reads what runs beside the gateway. Returns undefined for what does not run, or not yet. */
export interface MetricSources {
  readonly sink?: () => SinkLevels;
  readonly webhooks?: () => SenderLevels | undefined;
  readonly alerts?: () => AlertLevels | undefined;
}

/**
 * Creates the metrics of a gateway, of its telemetry sink, webhooks and alerts if there are any, and of the process: event loop, memory, garbage
 * collection.
 */
export function createMetrics(
  gateway: Pick<Gateway, "on" | "readLevels">,
  sources: MetricSources = {},
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countObservations(gateway, [registry]);
  const readLevels = gaugeLevels(gateway, registry);
  const readSinkLevels = sources.sink && createSinkMetrics(sources.sink, registry);
  const setWebhooks = sources.webhooks && createWebhookMetrics(registry);
  const setAlerts = sources.alerts && createAlertMetrics(registry);
  return {
    contentType: registry.contentType,
    async read() {
      await readLevels();
      readSinkLevels?.();
      const webhooks = sources.webhooks?.();
      if (webhooks !== undefined) setWebhooks?.(webhooks);
      const alerts = sources.alerts?.();
      if (alerts !== undefined) setAlerts?.(alerts);
      return registry.metrics();
    },
  };
}
