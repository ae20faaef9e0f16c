import { maxBatchRecords } from "@device-gateway/core/contract";
import { sampleRegistration } from "../wire/world/wire-world.js";
import { type GrowthCase, listOf, refillMs, shortestIntervalMs } from "./growth-case.js";
import type { GrowthWorld } from "./growth-world.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const batch = <Item>(item: (n: number) => Item) => listOf(maxBatchRecords, item);
const isKeyed = true;
const isOld = true;
const runsAlways = true;
/** Returns the start of the hour that was `ago` hours ago. */
const hour = (ago: number, { clock }: GrowthWorld) =>
  clock.now() - (clock.now() % hourMs) - ago * hourMs;
const metrics = (count: number, nameOf: (n: string) => string, value: number) =>
  Object.fromEntries(listOf(count, (n) => [nameOf(`m${n.toString(36)}`), value]));

interface TelemetryOptions {
  readonly isKeyed?: boolean;
  readonly runsAlways?: boolean;
  /** The records spread over the whole retention. */
  readonly isOld?: boolean;
  readonly requests?: number;
  readonly stepMs?: number;
}

/** An attack in which a claimed device sends a body with every request. */
const telemetry = (
  name: string,
  bodyOf: (n: number, world: GrowthWorld) => unknown,
  {
    isKeyed: withKey = false,
    isOld: spreads = false,
    runsAlways: always = false,
    requests = 30,
    stepMs = refillMs,
  }: TelemetryOptions = {},
): GrowthCase => ({
  name,
  runsAlways: always,
  requests,
  stepMs,
  async prepare(world) {
    const { call, clock, register, signIn } = world;
    const { token, deviceId } = await register();
    const { claimCode } = sampleRegistration();
    await call("claimDevice", { body: { deviceId, claimCode }, token: await signIn("owner") });
    // A store may allocate something for each day that has records. This is not measured.
    for (let day = 0; spreads && day < 90; day++) {
      await call("sendTelemetry", { token, body: { timestamp: clock.now() - day * dayMs } });
      clock.advance(refillMs);
    }
    return (n) => {
      const headers = withKey ? { "idempotency-key": `k${n}` } : {};
      return call("sendTelemetry", { token, body: bodyOf(n, world), headers });
    };
  },
});

/** Attacks with telemetry. */
export const telemetryGrowthCases: readonly GrowthCase[] = [
  telemetry("rejected records with an Idempotency-Key", () => batch(() => 0), { isKeyed }),
  telemetry(
    "records rejected for many reasons with an Idempotency-Key",
    (_, { clock }) =>
      batch((n) => [{ timestamp: clock.now() + hourMs }, 0, { seq: "" }, { timestamp: "" }][n % 4]),
    { isKeyed },
  ),
  telemetry(
    "duplicates with an Idempotency-Key",
    (_, w) => batch((n) => ({ timestamp: hour(1, w), a: n % 2 })),
    { isKeyed },
  ),
  telemetry("empty requests with an Idempotency-Key", () => [], { isKeyed, requests: 100 }),
  telemetry(
    "OTA sections that change with every record",
    (r) => batch((n) => ({ ota: { lastResult: `x${(r + n) % 2}` } })),
    { stepMs: shortestIntervalMs, requests: 240 },
  ),
  telemetry(
    "a few OTA sections that change",
    (r) => listOf(9, (n) => ({ ota: { lastResult: `x${(r + n) % 2}` } })),
    { requests: 100, runsAlways },
  ),
  telemetry(
    "an OTA section that changes with every request",
    (r) => ({
      ota: { lastResult: `x${r % 2}` },
    }),
    { requests: 200 },
  ),
  telemetry("OTA sections of long texts", (r) =>
    listOf(400, (n) => {
      const lastResult = `${(r + n) % 2}`.padEnd(256, "x");
      return { ota: { lastResult, offeredVersion: "v".repeat(256) } };
    }),
  ),
  telemetry("empty records", () => batch(() => ({})), {
    stepMs: shortestIntervalMs,
    requests: 240,
  }),
  telemetry("tiny records", () => batch(() => ({ a: 1 })), {
    stepMs: shortestIntervalMs,
    requests: 240,
  }),
  telemetry("single empty records", () => ({}), { requests: 300 }),
  telemetry(
    "tiny timed records",
    (_, { clock }) => batch((n) => ({ timestamp: clock.now() - n, a: 1 })),
    { stepMs: shortestIntervalMs, requests: 120 },
  ),
  telemetry(
    "tiny records of an instant",
    (r, w) => batch((n) => ({ timestamp: hour(1, w), a: r * maxBatchRecords + n })),
    { stepMs: shortestIntervalMs, requests: 120 },
  ),
  telemetry(
    "tiny records in an hour each",
    (r, w) => batch((n) => ({ timestamp: hour((r * maxBatchRecords + n) % 2_150, w), a: r })),
    { isOld, stepMs: shortestIntervalMs, requests: 120 },
  ),
  telemetry(
    "records of 256 metrics in an hour each",
    (r, w) => ({
      timestamp: hour(r, w),
      ...metrics(256, (n) => n, r),
    }),
    { isOld, requests: 100 },
  ),
  telemetry(
    "records of 256 other metrics each",
    (r, w) => ({
      timestamp: hour(r, w),
      ...metrics(256, (n) => `${n}${r}`, r),
    }),
    { isOld, requests: 100, runsAlways },
  ),
  telemetry(
    "batches of other metrics",
    (r, w) =>
      listOf(16, (n) => ({
        timestamp: hour(r * 16 + n, w),
        ...metrics(100, (name) => `${name}${r * 16 + n}`, n),
      })),
    { isOld, stepMs: shortestIntervalMs, requests: 120 },
  ),
];
