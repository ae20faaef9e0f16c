import { createGateway, generateSecrets, toFetchHandler } from "@device-gateway/core";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { spread } from "../measure.js";
import { type BuiltServers, buildServers } from "./build-servers.js";
import { recordFiles } from "./cases/record-files.js";
import { checkChart, longChart, monthChart, pathOf } from "./charts.js";
import { startGateway, startHandWritten } from "./contender.js";
import { createLoadDriver } from "./drive-load.js";
import { createScratch } from "./machine/scratch.js";
import { finishAll, measureLoads } from "./measure-loads.js";
import { fleetIds, seedFleet } from "./seed/seed-fleet.js";
import { checkHistory, oldRecords, planHistory } from "./seed/seed-history.js";
import { seedStore } from "./seed/seed-store.js";
import { runSpeedBench } from "./speed-bench.js";
import { startStoreHost } from "./store/start-store-host.js";
import { openPlace } from "./store/store-place.js";

const generate = createLoadDriver();

let servers: BuiltServers;
beforeAll(async () => {
  servers = await buildServers();
});
afterAll(() => servers.remove());

// Finds a collapse, not a figure. CPU time does not depend on other load on the machine.
it.runIf(allTests)(
  "ingest costs less CPU time than a hand-written stack, and keeps every record (P2 in short)",
  async () => {
    const scratch = createScratch("disk");
    onTestFinished(() => scratch.remove());
    const devices = 300;
    const host = await startStoreHost("sqlite", scratch.folder);
    const fleet = await seedFleet(host, scratch.folder, devices, generateSecrets());
    const setup = { host, folder: scratch.folder, servers, fleet };
    const files = recordFiles(setup);
    const contenders = [
      await startHandWritten(setup, files),
      await startGateway(setup, { name: "gateway", mount: "listener", files }),
    ];
    const plan = { repeats: 3, seconds: 0.25, connections: 64, devices, generate };
    const lines = await measureLoads(contenders, { ...plan, progress: () => {} });
    // Throws when an acknowledged record is missing.
    await finishAll(contenders);

    const median = (what: string, subject: string) =>
      spread(lines.find((line) => line.what === what)?.values.get(subject) ?? []).median;
    const cpu = "CPU of all threads";
    expect(median(cpu, "gateway")).toBeLessThan(median(cpu, "hand-written"));
  },
);

it.each(allTests ? (["sqlite", "postgres"] as const) : (["sqlite"] as const))(
  "multiplied devices on %s have the records and roll-ups of their templates",
  async (kind) => {
    const scratch = createScratch("disk");
    onTestFinished(() => scratch.remove());
    const host = await startStoreHost(kind, scratch.folder, { databaseUrl: inject("postgresUrl") });
    const { history, sets } = planHistory(4_400);
    const old = oldRecords(history.end);
    const fleet = { make: old.make, deviceIds: fleetIds(50) };
    const store = await openPlace(await seedStore(host, "seeded", [fleet, ...sets], () => {}));
    await checkHistory(store, history);
    const whole = { from: 0, to: history.end, receivedFrom: 0 };
    const count = await store.telemetry.count({ deviceId: "gw-0000049", ...whole, atMost: 9 });
    expect(count).toBe(old.records);
    expect((await store.telemetry.rollUp({ before: history.end, limit: 9 })).more).toBe(false);

    const secrets = generateSecrets();
    const customers = {
      authenticateToken: async (id: string) => ({ id, emailVerified: true, roles: [] }),
    };
    const handle = toFetchHandler(await createGateway({ store, secrets, customers }), {
      clientAddress: () => null,
    });
    for (const chart of [longChart(history), monthChart(history)]) {
      const headers = { authorization: `Bearer ${history.owner}` };
      const request = new Request(`http://gateway.test${pathOf(chart)}`, { headers });
      const answer = await handle(request);
      expect(checkChart(chart, await answer.json())).toBeGreaterThan(200);
    }
    await store.close();
    await host.close();
  },
);

// Small numbers: the programs run to their end and find every acknowledged record.
const cases = [
  ["sqlite", "p7", "bundled"],
  ["postgres", "p9", "listener"],
  ["postgres", "cells", "bundled"],
] as const;
it.each(allTests ? cases : cases.slice(0, 1))(
  "on %s, %s runs and loses no record",
  async (kind, name, mount) => {
    const sections = await runSpeedBench({
      ...{ cases: [name], kind, generate, databaseUrl: inject("postgresUrl"), markdown: false },
      // With many connections, calls reach the deadlines of Postgres on a busy machine.
      ...{
        repeats: 1,
        seconds: 0.1,
        connections: 8,
        devices: 100,
        records: 0,
        fleet: 0,
        minutes: 0,
        mount,
      },
      servers,
      print: () => {},
      progress: () => {},
    });
    expect(sections.flatMap(({ notes }) => notes).join("\n")).not.toMatch(/NaN/);
  },
);
