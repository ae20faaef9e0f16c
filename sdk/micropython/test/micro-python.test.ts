import { readFileSync } from "node:fs";
import { createTestCloud, type Fault, type TestCloudOptions } from "@device-gateway/testing/cloud";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { allTests } from "../../../scripts/all-tests.js";
import { heapLimit, startMicroPython } from "./micro-python.js";

interface RouteFault {
  readonly route: string;
  readonly fault: Fault;
}

const image = Uint8Array.from({ length: 40_000 }, (_, at) => (at * 31) & 0xff);

async function start(gateway: NonNullable<TestCloudOptions["gateway"]> = {}) {
  const cloud = await createTestCloud({ realTime: true, gateway });
  onTestFinished(() => cloud.close());
  await cloud.addRelease({ version: "1.1.0", targetHardware: "esp32", image });
  const url = await cloud.listen();
  const python = startMicroPython();
  const keys = JSON.stringify({ [cloud.releaseKey.id]: cloud.releaseKey.pem });
  const run = async (readings = 3, claimCode = "ABCD-EFGH") =>
    JSON.parse(await python.call("run", url, keys, readings, claimCode)) as Record<string, unknown>;
  return { cloud, url, python, run };
}

const storedNumbers = async ({ cloud }: Awaited<ReturnType<typeof start>>) =>
  ((await cloud.records("gw-mp")) as { n: number }[]).map(({ n }) => n);

it("§1 §4 §5 §6 a device in MicroPython does its work in a heap of 160 KB", async () => {
  const bench = await start();
  const { cloud, python, run } = bench;
  expect(await run(60)).toMatchObject({
    report: { accepted: 60, duplicates: 0, rejected: 0, update_available: true },
    ...{ interval: 60, installed: "1.1.0", waiting: 0 },
  });
  expect(await storedNumbers(bench)).toEqual(Array.from({ length: 60 }, (_, n) => n));
  expect(Buffer.compare(python.slot, image)).toBe(0);
  const reports = cloud.requestsTo("reportUpdate").map(({ body }) => body as { state: string });
  expect(reports.map(({ state }) => state)).toEqual([
    ...["downloading", "downloaded", "verified", "installing", "rebooting"],
  ]);
  expect(python.largestHeap()).toBeGreaterThan(heapLimit / 2);
  expect(python.largestHeap()).toBeLessThanOrEqual(heapLimit);
});

it("§1 §4 a device in MicroPython keeps its readings if the server refuses its registration", async () => {
  const bench = await start();
  expect(await bench.run(3, "A")).toEqual({
    ...{ error: "invalid_request", sign_in_failed: true, waiting: 3 },
  });
  expect(await bench.run(0)).toMatchObject({ report: { accepted: 3 }, waiting: 0 });
  expect(await storedNumbers(bench)).toEqual([0, 1, 2]);
});

it("a device in MicroPython that flushes in two tasks sends each reading once", async () => {
  const bench = await start();
  const { cloud, python, url } = bench;
  const sent = JSON.parse(await python.call("flush_in_two_tasks", url, 60)) as number[];
  expect(sent.toSorted()).toEqual([0, 60]);
  expect(await storedNumbers(bench)).toEqual(Array.from({ length: 60 }, (_, n) => n));
  expect(cloud.requestsTo("registerDevice")).toHaveLength(1);
});

it("a device in MicroPython sends null for a number that JSON does not have", async () => {
  const { cloud, python, url } = await start();
  const report = JSON.parse(await python.call("record_unmeasured", url));
  expect(report).toMatchObject({ accepted: 1, refused: 0 });
  expect(await cloud.records("gw-mp")).toMatchObject([
    { n: 1, volts: null, cells: [{ volts: null }, 3.5] },
  ]);
});

it.each([
  { of: "32 levels", text: `${"[".repeat(31)}1${"]".repeat(31)}` },
  { of: "16,000 bytes", text: `"${"x".repeat(16_000)}"` },
])("a device in MicroPython reads its configuration if it has $of", async ({ text }) => {
  const settings = z.object({ anything: z.unknown() });
  const anything = JSON.parse(text);
  const { cloud, python, url } = await start({ config: { settings, defaults: { anything } } });
  for (const route of ["registerDevice", "loginDevice"] as const) {
    expect(JSON.parse(await python.call("read_config", url))).toMatchObject({ anything });
    expect(cloud.requestsTo(route)).toHaveLength(1);
  }
});

/** Faults of HTTP, each on the route where it hurts most. */
const faults = [
  { route: "registerDevice", fault: { kind: "lost_answer" } },
  { route: "sendTelemetry", fault: { kind: "unavailable", retryAfterSeconds: 1 } },
  { route: "sendTelemetry", fault: { kind: "lost_answer" } },
  { route: "sendTelemetry", fault: { kind: "captive_portal" } },
  { route: "readConfig", fault: { kind: "unauthorized" } },
  { route: "downloadFirmware", fault: { kind: "cut", afterBytes: 20_000 } },
  { route: "downloadFirmware", fault: { kind: "corrupted", atByte: 30_000 } },
] as const satisfies readonly RouteFault[];

/** Faults that the client handles like those above. */
const similarFaults = [
  { route: "sendTelemetry", fault: { kind: "duplicated" } },
  { route: "sendTelemetry", fault: { kind: "server_error", status: 502 } },
  { route: "readConfig", fault: { kind: "redirected", status: 307 } },
  { route: "readLatestFirmware", fault: { kind: "delayed", ms: 10 } },
  { route: "downloadFirmware", fault: { kind: "slow", pieceBytes: 5_000, everyMs: 1 } },
  { route: "sendTelemetry", fault: { kind: "wrong_time", offsetMs: 86_400_000 } },
] as const satisfies readonly RouteFault[];

it.each([...faults, ...(allTests ? similarFaults : [])])(
  "§4 §6 a device in MicroPython recovers from $fault.kind of $route",
  async ({ route, fault }) => {
    const bench = await start();
    const { cloud, python, run } = bench;
    cloud.fail(route, fault);
    let outcome = await run();
    if ("error" in outcome) outcome = await run(0);
    expect(cloud.requestsTo(route).some((request) => request.fault === fault)).toBe(true);
    expect(outcome).toMatchObject({ interval: 60, installed: "1.1.0", waiting: 0 });
    expect(await storedNumbers(bench)).toEqual([0, 1, 2]);
    expect(Buffer.compare(python.slot, image)).toBe(0);
    expect(python.largestHeap()).toBeLessThanOrEqual(heapLimit);
  },
);

interface Vectors {
  readonly device: object;
  readonly keys: readonly { id: string; algorithm: string; pem: string }[];
  readonly cases: readonly {
    name: string;
    expected: string;
    device?: object;
    offer: { signingKeyId: string };
  }[];
}

it("§6 judges offers in MicroPython as the reference updater does", async () => {
  const file = new URL("../../../packages/device-client/vectors/offers.json", import.meta.url);
  const { device, keys, cases } = JSON.parse(readFileSync(file, "utf8")) as Vectors;
  const pinned = Object.fromEntries(
    keys.filter(({ algorithm }) => algorithm !== "ed25519").map(({ id, pem }) => [id, pem]),
  );
  const python = startMicroPython();
  // MicroPython has no SHA-512, which Ed25519 needs.
  for (const vector of cases.filter(({ offer }) => offer.signingKeyId !== "release-ed25519")) {
    const facts = JSON.stringify({ ...device, ...vector.device });
    const offer = JSON.stringify(vector.offer);
    const judged = await python.call("judge", offer, facts, JSON.stringify(pinned));
    expect(judged, vector.name).toBe(vector.expected);
  }
  expect(python.largestHeap()).toBeLessThanOrEqual(heapLimit);
});
