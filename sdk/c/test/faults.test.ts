import type { Fault } from "@device-gateway/testing/cloud";
import { beforeAll, expect, it } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import {
  type Compiler,
  createCDevice,
  createImage,
  createRelease,
  storedSeqs,
} from "./c-device.js";
import { describeInC, makeDevice } from "./tool-chain.js";

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const routes = [
  "registerDevice",
  "sendTelemetry",
  "readConfig",
  "readLatestFirmware",
  "downloadFirmware",
  "reportUpdate",
] as const;
const faults: readonly Fault[] = [
  { kind: "unreachable" },
  { kind: "lost_answer" },
  { kind: "unavailable", retryAfterSeconds: 1 },
  { kind: "slow", pieceBytes: 20_000, everyMs: 1 },
  { kind: "cut", afterBytes: 30 },
  { kind: "corrupted", atByte: 40 },
];
const placeOf = (route: (typeof routes)[number], fault: Fault) =>
  routes.indexOf(route) + faults.indexOf(fault);
const matrix = routes
  .flatMap((route) => faults.map((fault) => ({ route, fault })))
  // A slow response is a fault only for an image.
  .filter(({ route, fault }) => fault.kind !== "slow" || route === "downloadFirmware");
/** Half of the matrix: each route with two or more faults, and each fault. */
const sample = matrix.filter(({ fault }, place) => place % 4 < 2 || fault.kind === "slow");

/** A search for leaks takes longer than a short run. Other tests search at each end of a device. */
const findLeaks = allTests;

/** Faults of proxies and networks between. Each hits one route, because the client handles them in one place. */
const furtherFaults = [
  { route: "sendTelemetry", fault: { kind: "server_error", status: 502 } },
  { route: "downloadFirmware", fault: { kind: "server_error", status: 500 } },
  { route: "registerDevice", fault: { kind: "captive_portal" } },
  { route: "readLatestFirmware", fault: { kind: "redirected", status: 307 } },
  { route: "readConfig", fault: { kind: "unauthorized" } },
  { route: "sendTelemetry", fault: { kind: "duplicated" } },
  { route: "sendTelemetry", fault: { kind: "wrong_length", by: 10 } },
  { route: "downloadFirmware", fault: { kind: "wrong_length", by: -10 } },
  { route: "reportUpdate", fault: { kind: "delayed", ms: 10 } },
  { route: "sendTelemetry", fault: { kind: "slow", pieceBytes: 1, everyMs: 1 } },
  { route: "sendTelemetry", fault: { kind: "wrong_time", offsetMs: 86_400_000 } },
] as const satisfies readonly { route: (typeof routes)[number]; fault: Fault }[];

describeInC("the C client", () => {
  beforeAll(makeDevice);

  it.each([...(allTests ? matrix : sample), ...furtherFaults])(
    "§4 §6 recovers from $fault.kind of $route",
    async ({ route, fault }) => {
      // Both compilers share the matrix, each with every route and every fault.
      const compiler: Compiler = placeOf(route, fault) % 2 === 0 ? "gcc" : "clang";
      const device = await createCDevice();
      await device.cloud.addRelease(createRelease("1.1.0"));
      device.cloud.fail(route, fault);
      const round = ["record=3", "flush", "config", "update"];
      const { results } = await device.run([...round, "sleep=61000", ...round, "update"], {
        compiler,
      });
      expect(device.cloud.requests.some((request) => request.fault === fault)).toBe(true);
      expect(results("flush").at(-1)).toMatchObject({ status: "ok", waiting: 0 });
      expect(results("config").at(-1)).toMatchObject({ status: "ok", interval: 60 });
      expect(results("update").at(-1)).toMatchObject({ status: "ok", running: "1.1.0" });
      expect(await storedSeqs(device)).toEqual(upTo(6));
    },
  );

  it("§1 §4 keeps its records if the server refuses its registration", async () => {
    const device = await createCDevice();
    const { lines, results } = await device.run(["record=5", "flush"], { claimCode: "A" });
    expect(results("flush")).toMatchObject([
      { status: "refused", code: "invalid_request", http: 400, refused: 0, waiting: 5 },
    ]);
    expect(lines).not.toContainEqual(expect.objectContaining({ event: "dropped_refused" }));
    await device.run(["flush"]);
    expect(await storedSeqs(device)).toEqual(upTo(5));
  });

  it("§1 §6 keeps records and update reports if the server refuses to register it again", async () => {
    const device = await createCDevice();
    const { cloud } = device;
    await cloud.addRelease(createRelease("1.1.0"));
    cloud.fail("reportUpdate", { kind: "unreachable" }, { times: 99 });
    await device.run(["record=1", "flush", "update"]);
    cloud.clearFaults();
    device.loseSecret();
    const refused = await device.run(["record=2", "flush", "update"], { claimCode: "A" });
    expect(refused.results("flush")).toMatchObject([{ http: 400, waiting: 2 }]);
    expect(refused.results("update")).toMatchObject([{ outcome: "later" }]);
    await device.run(["flush", "update"]);
    expect(await storedSeqs(device)).toEqual(upTo(3));
    const accepted = cloud.requestsTo("reportUpdate").filter(({ status }) => status === 202);
    expect(accepted.map(({ body }) => (body as { state: string }).state)).toEqual(
      expect.arrayContaining(["downloaded", "succeeded"]),
    );
  });

  it("§4 sends every record if its storage cannot be read for a time", async () => {
    const device = await createCDevice();
    await device.run(["connect"]);
    const statuses = [];
    for (let load = 1; load <= 12; load++) {
      const commands = ["record=3", `fail-load=${load}`, "flush", "fail-load=0", "flush"];
      const { results } = await device.run(commands);
      statuses.push(results("flush")[0]?.["status"]);
      expect(results("flush").at(-1)).toMatchObject({ status: "ok", waiting: 0 });
      expect(await storedSeqs(device)).toEqual(upTo(3 * load));
    }
    expect(new Set(statuses)).toEqual(new Set(["ok", "storage"]));
  });

  it("§6 an update whose state cannot be stored once goes on without a restart", async () => {
    const device = await createCDevice();
    const { cloud } = device;
    await cloud.addRelease(createRelease("1.1.0"));
    let failures = 0;
    for (let save = 1, hasFailed = true; hasFailed; save++) {
      const deviceId = `gw-${save}`;
      const commands = ["connect", `fail-save=${save}`, "update", "update", "update"];
      const { results } = await device.run(commands, { deviceId });
      expect(results("update").at(-1)).toMatchObject({ status: "ok", running: "1.1.0" });
      hasFailed = results("update").some(({ status }) => status === "storage");
      if (hasFailed) failures++;
    }
    const reports = cloud.requestsTo("reportUpdate").map(({ body }) => body as { state: string });
    expect(reports.map(({ state }) => state)).not.toContain("rolled_back");
    expect(failures).toBeGreaterThan(10);
  });

  it("§4 killed at each operation, it sends every durable record exactly once", async () => {
    const device = await createCDevice();
    const durable: unknown[] = [];
    const commands = ["record=2", "flush", "record=1", "flush"];
    // Each sweep dies at other points: before an operation, after it, or in its middle.
    for (const before of [[], ["check-in"], ["check-in", "check-in"]]) {
      for (let killAt = 1, wasKilled = true; wasKilled; killAt++) {
        const run = await device.run([...before, ...commands], { killAt, findLeaks });
        durable.push(...run.results("record").map(({ seq }) => seq));
        wasKilled = run.wasKilled;
        expect(killAt).toBeLessThan(100);
      }
    }
    const { results } = await device.run(["flush"]);
    expect(results("flush")).toMatchObject([{ status: "ok", waiting: 0 }]);
    const seqs = await storedSeqs(device);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(seqs).toEqual(expect.arrayContaining(durable));
    expect(durable.length).toBeGreaterThan(30);
  });

  it("§6 killed at each operation of an update, it runs the new image or keeps the old one", async () => {
    // One checkpoint within the image, so that each run has the same operations.
    const imageBytes = 131_000;
    const versions = [];
    const device = await createCDevice();
    await device.cloud.addRelease({
      ...createRelease("1.1.0"),
      image: createImage("1.1.0", "good", imageBytes),
    });
    for (let killAt = 1, wasKilled = true; wasKilled; killAt++) {
      const deviceId = `gw-${killAt}`;
      ({ wasKilled } = await device.run(["update"], { killAt, deviceId, findLeaks }));
      const again = ["update", "sleep=61000", "update"];
      const { results } = await device.run(again, { deviceId, findLeaks });
      versions.push(results("update").at(-1)?.["running"]);
      expect(killAt).toBeLessThan(100);
    }
    // Killed during the trial, the bootloader rolls back for good.
    const rolledBack = versions.filter((version) => version === "1.0.0").length;
    expect(new Set(versions)).toEqual(new Set(["1.0.0", "1.1.0"]));
    expect(rolledBack).toBeLessThan(versions.length / 4);
    expect(versions.at(-1)).toBe("1.1.0");
    expect(versions.length).toBeGreaterThan(30);
  });
});
