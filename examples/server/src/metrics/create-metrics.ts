import type { FaultCause, Gateway } from "@device-gateway/core";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const prefix = "device_gateway_";
/** From a fast commit to the answer's time-out, in seconds. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const faultCauses: readonly FaultCause[] = [
  "store",
  "slow_hash",
  "authenticator",
  "deadline",
  "internal",
];

/** Counts what happens. Labels are names of the contract: their number is bounded, and no device is among them. */
function countObservations(gateway: Pick<Gateway, "on">, registers: Registry[]): void {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: prefix + name, help, labelNames, registers });
  const requests = counter("requests_total", "Answers, by route, status and problem.", [
    ...(["route", "status", "code"] as const),
  ]);
  const duration = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: "Until the first byte of the answer.",
    labelNames: ["route"],
    buckets: durations,
    registers,
  });
  const faults = counter("faults_total", "Answers of 5xx, by what is to blame.", ["cause"]);
  const records = counter("records_total", "Telemetry records: stored, duplicate, or why not.", [
    "verdict",
  ]);
  const wrongCodes = counter("wrong_codes_total", "Claim codes that were wrong.", ["at"]);
  const storeFailures = counter("store_failures_total", "Calls of the store that failed.", [
    ...(["call", "kind"] as const),
  ]);

  // A series that is born at 1 is no increase for whoever pages on one.
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

/** Levels are read when somebody asks, all at one time. */
function gaugeLevels(
  gateway: Pick<Gateway, "readLevels">,
  registry: Registry,
): () => Promise<void> {
  const startedAt = Date.now();
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name: prefix + name, help, registers });
  const storeCalls = gauge("store_calls", "Calls of the store that wait for their answer.");
  const hashes = gauge("slow_hashes_waiting", "Slow hashes that wait for their turn.");
  const lag = gauge("rollup_lag_seconds", "Since maintenance last began and then finished.");
  const up = gauge("store_up", "1 when the store answers, else 0.");
  const active = gauge("releases_active", "Releases that devices are offered.");
  const halted = gauge("releases_halted", "Releases that failed too often and were paused.");
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
  /** All of them in Prometheus' text format. */
  read(): Promise<string>;
}

/** Makes metrics of a gateway and of the process: event loop, memory, garbage collection. */
export function createMetrics(gateway: Pick<Gateway, "on" | "readLevels">): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countObservations(gateway, [registry]);
  const readLevels = gaugeLevels(gateway, registry);
  return {
    contentType: registry.contentType,
    async read() {
      await readLevels();
      return registry.metrics();
    },
  };
}
