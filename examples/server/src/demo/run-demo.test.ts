import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { describe, expect, it } from "vitest";
import { recordingOf, runDemoAgainst } from "../testing/demo-harness.js";
import { startTestServer, type TestServer } from "../testing/start-test-server.js";
import { demoDevice } from "./demo-context.js";

const stateFile = ({ settings }: TestServer) => join(settings.DATA_DIR, "demo-gateway.json");

/** The demo gateway's records as the database has them, once the server has let go of it. */
async function readStored(server: TestServer): Promise<{ at: number; temperature: unknown }[]> {
  await server.stop();
  const file = join(server.settings.DATA_DIR, "gateway.db");
  const store = await openSqliteStore({ file, logger: silentLogger });
  const { deviceId } = demoDevice;
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 10_000 });
  await store.close();
  return records.map(({ at, value }) => ({ ...value, at, temperature: value["temperature"] }));
}

describe("the demo gateway", () => {
  it("registers, reads its configuration, replays its recording and goes on live", async () => {
    const server = await startTestServer();
    const { events, kinds } = await runDemoAgainst(server, { liveReadings: 3 });
    expect(kinds).toEqual(["registered", "configured", "replaying", "replayed", "live"]);
    expect(events).toContainEqual({
      kind: "replayed",
      stored: 1_200,
      duplicates: 0,
      rejected: 0,
    });
    const stored = await readStored(server);
    expect(stored).toHaveLength(1_203);
    expect(stored[0]).toMatchObject({ temperature: 70, unit: "°F" });
    // The recording ends when the demo first started: now, as far as a person can tell.
    expect(Date.now() - (stored[1_199]?.at ?? 0)).toBeLessThan(60_000);
  });

  it("keeps its secret to itself", async () => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    expect((await stat(stateFile(server))).mode & 0o777).toBe(0o600);
  });

  it("logs in at a restart and does not repeat what was acknowledged", async () => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    const { kinds } = await runDemoAgainst(server);
    expect(kinds).toEqual(["logged_in", "configured", "live"]);
    expect(await readStored(server)).toHaveLength(1_202);
  });

  it("goes on after a crash that lost an answer, and stores nothing twice", async () => {
    const server = await startTestServer();
    let batches = 0;
    const stopping = new AbortController();
    const crashing = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (url.endsWith("/telemetry") && ++batches === 2) {
        stopping.abort();
        throw new Error("The cable was pulled.");
      }
      return response;
    };
    const { kinds } = await runDemoAgainst(server, { fetch: crashing, signal: stopping.signal });
    expect(kinds).toEqual(["registered", "configured", "replaying"]);

    const { events } = await runDemoAgainst(server);
    expect(events).toContainEqual({ kind: "replaying", sent: 500, total: 1_200 });
    expect(events).toContainEqual({
      kind: "replayed",
      stored: 200,
      duplicates: 500,
      rejected: 0,
    });
    expect(await readStored(server)).toHaveLength(1_201);
  });

  it("registers anew when the database was deleted", async () => {
    const first = await startTestServer();
    await runDemoAgainst(first);
    await first.stop();
    for (const suffix of ["", "-wal", "-shm"]) {
      await rm(join(first.settings.DATA_DIR, `gateway.db${suffix}`), { force: true });
    }
    const second = await startTestServer(first.settings);
    const { kinds } = await runDemoAgainst(second);
    expect(kinds).toEqual(["registered", "configured", "replaying", "replayed", "live"]);
    expect(await readStored(second)).toHaveLength(1_201);
  });

  it.each([
    ["is lost", (file: string) => rm(file)],
    ["is damaged", (file: string) => writeFile(file, "{")],
  ])("says what to do when all that it remembers %s", async (_, damage) => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    await damage(stateFile(server));
    for (const start of ["first", "second"]) {
      const { events } = await runDemoAgainst(server);
      const reason = expect.stringContaining("delete its data folder");
      expect({ start, events }).toEqual({ start, events: [{ kind: "failed", reason }] });
    }
  });

  it("leaves out what is older than the retention", async () => {
    const server = await startTestServer({ DG_RETENTION_TELEMETRY_DAYS: 1 });
    const startedAt = Date.now();
    const { events } = await runDemoAgainst(server, { now: () => startedAt });
    const replayed = events.find(({ kind }) => kind === "replayed");
    // 23 hours of a reading each 5 minutes: a day less the margin.
    expect(replayed).toMatchObject({ stored: 23 * 12 + 1, rejected: 0 });
  });

  it("sends smaller batches when the server takes no larger ones", async () => {
    const server = await startTestServer({
      DG_LIMIT_TELEMETRY_BODY_BYTES: 1_024,
      DG_LIMIT_TELEMETRY_PER_MINUTE: 10_000,
    });
    const { events } = await runDemoAgainst(server, { recording: recordingOf(50) });
    expect(events).toContainEqual({ kind: "replayed", stored: 50, duplicates: 0, rejected: 0 });
  });

  it("waits as long as the server says, and through its failures", async () => {
    const server = await startTestServer();
    const troubles = [
      new Response("", { status: 503, headers: { "retry-after": "7" } }),
      new Response("", { status: 500 }),
      new Response("", { status: 429, headers: { "retry-after": "20" } }),
    ];
    const troubled = async (url: string, init: RequestInit) =>
      (url.endsWith("/telemetry") && troubles.shift()) || fetch(url, init);
    const { events } = await runDemoAgainst(server, { fetch: troubled });
    const waits = events.flatMap((event) => (event.kind === "waiting" ? [event.seconds] : []));
    expect(waits).toEqual([7, expect.any(Number), 20]);
    expect(waits[1]).toBeGreaterThan(0.5);
    expect(events).toContainEqual(expect.objectContaining({ kind: "replayed", stored: 1_200 }));
  });

  it("logs in again when its token has expired", async () => {
    const server = await startTestServer();
    let calls = 0;
    const forgetful = (url: string, init: RequestInit) => {
      const expired = url.endsWith("/telemetry") && ++calls === 2;
      const headers = { ...init.headers, authorization: "Bearer expired" };
      return fetch(url, expired ? { ...init, headers } : init);
    };
    const { events } = await runDemoAgainst(server, { fetch: forgetful });
    expect(events).toContainEqual(expect.objectContaining({ kind: "replayed", stored: 1_200 }));
  });
});
