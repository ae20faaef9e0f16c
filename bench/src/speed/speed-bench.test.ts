import { generateSecrets } from "@device-gateway/core";
import { expect, it, onTestFinished } from "vitest";
import { spread } from "../measure.js";
import { buildServers } from "./build-servers.js";
import { recordFiles } from "./cases/record-files.js";
import { startGateway, startHandWritten } from "./contender.js";
import { driveLoad } from "./drive-load.js";
import { linesOf } from "./fleet-requests.js";
import { finishAll, measureLoads } from "./measure-loads.js";
import type { LoadGenerator } from "./run-wrk.js";
import { createScratch } from "./scratch.js";
import { readDevices, seedFleet } from "./seed-fleet.js";
import { startStoreHost } from "./store-host.js";

const toHeaders = (line: string) => {
  const [name = "", value = ""] = line.split(": ");
  return { [name.toLowerCase()]: value };
};

const generate: LoadGenerator = async ({ port, files, connections, seconds, first }) => {
  const start = performance.now();
  const requests = await driveLoad({
    port,
    path: files.path,
    devices: readDevices(files.devices),
    bodies: files.header === undefined ? linesOf(files.bodies) : [],
    ...(files.header !== undefined && { headers: toHeaders(files.header) }),
    connections,
    first,
    until: AbortSignal.timeout(seconds * 1_000),
  });
  const taken = (performance.now() - start) / 1_000;
  const unknown = { p50: Number.NaN, p99: Number.NaN, failed: 0, cpuSeconds: 0 };
  return { requests, seconds: taken, next: first + requests, ...unknown };
};

// A collapse, not a figure: whatever the machine does besides, it does to both.
it("ingest is faster and cheaper than a stack written by hand, and keeps every record (P2 in short)", async () => {
  const scratch = createScratch("disk");
  const servers = await buildServers();
  onTestFinished(() => {
    servers.remove();
    scratch.remove();
  });
  const devices = 1_000;
  const host = await startStoreHost("sqlite", scratch.folder);
  const fleet = await seedFleet(host, scratch.folder, devices, generateSecrets());
  const setup = { host, folder: scratch.folder, servers, fleet };
  const files = recordFiles(setup);
  const contenders = [
    await startHandWritten(setup, files),
    await startGateway(setup, { name: "gateway", mount: "listener", files }),
  ];
  const plan = { repeats: 3, seconds: 0.8, connections: 64, devices, generate };
  const lines = await measureLoads(contenders, { ...plan, progress: () => {} });
  // Throws when a record that was acknowledged is not there.
  await finishAll(contenders);

  const median = (what: string, subject: string) =>
    spread(lines.find((line) => line.what === what)?.values.get(subject) ?? []).median;
  expect(median("requests", "gateway")).toBeGreaterThan(median("requests", "hand-written"));
  const cpu = "CPU of all threads";
  expect(median(cpu, "gateway")).toBeLessThan(median(cpu, "hand-written"));
}, 180_000);
