import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { describe, expect, it } from "vitest";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { recordingOf, runDemoAgainst } from "../testing/demo-harness.js";
import { startTestServer, type TestServer } from "../testing/start-test-server.js";
import { demoDevice } from "./demo-context.js";

useCheapScrypt();

const stateFile = ({ settings }: TestServer) => join(settings.DATA_DIR, "demo-gateway.json");

/** Stops the server and reads the demo gateway's records from the database. */
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
  it("registers, reads its configuration, replays its recording and continues live", async () => {
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
    // The recording ends at the demo's first start.
    expect(Date.now() - (stored[1_199]?.at ?? 0)).toBeLessThan(60_000);
  });

  it("stores its secret in a file that only this user can read", async () => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    expect((await stat(stateFile(server))).mode & 0o777).toBe(0o600);
  });

  it("logs in after a restart and does not repeat acknowledged readings", async () => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    const { kinds } = await runDemoAgainst(server);
    expect(kinds).toEqual(["logged_in", "configured", "live"]);
    expect(await readStored(server)).toHaveLength(1_202);
  });

  it("continues after a crash that lost a response, and stores nothing twice", async () => {
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

  it("registers again after the database was deleted", async () => {
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
  ])("reports what to do if its state %s", async (_, damage) => {
    const server = await startTestServer();
    await runDemoAgainst(server);
    await damage(stateFile(server));
    for (const start of ["first", "second"]) {
      const { events } = await runDemoAgainst(server);
      const reason = expect.stringContaining("delete its data folder");
      expect({ start, events }).toEqual({ start, events: [{ kind: "failed", reason }] });
    }
  });

  it("does not send readings older than the retention", async () => {
    const server = await startTestServer({ DG_RETENTION_TELEMETRY_DAYS: 1 });
    const startedAt = Date.now();
    const { events } = await runDemoAgainst(server, { now: () => startedAt });
    const replayed = events.find(({ kind }) => kind === "replayed");
    // One reading each 5 minutes for 23 hours: a day less the margin.
    expect(replayed).toMatchObject({ stored: 23 * 12 + 1, rejected: 0 });
  });

  it("sends smaller batches if the server rejects a batch as too large", async () => {
    const server = await startTestServer({
      DG_LIMIT_TELEMETRY_BODY_BYTES: 1_024,
      DG_LIMIT_TELEMETRY_PER_MINUTE: 10_000,
    });
    const { events } = await runDemoAgainst(server, { recording: recordingOf(50) });
    expect(events).toContainEqual({ kind: "replayed", stored: 50, duplicates: 0, rejected: 0 });
  });

  it("waits as long as Retry-After says and retries after server errors", async () => {
    const server = await startTestServer();
    const failures = [
      new Response("", { status: 503, headers: { "retry-after": "7" } }),
      new Response("", { status: 500 }),
      new Response("", { status: 429, headers: { "retry-after": "20" } }),
    ];
    const failing = async (url: string, init: RequestInit) =>
      (url.endsWith("/telemetry") && failures.shift()) || fetch(url, init);
    const { events } = await runDemoAgainst(server, { fetch: failing });
    const waits = events.flatMap((event) => (event.kind === "waiting" ? [event.seconds] : []));
    expect(waits).toEqual([7, expect.any(Number), 20]);
    expect(waits[1]).toBeGreaterThan(0.5);
    expect(events).toContainEqual(expect.objectContaining({ kind: "replayed", stored: 1_200 }));
  });

  it("logs in again if its token has expired", async () => {
    const server = await startTestServer();
    let calls = 0;
    const fetchOnceExpired = (url: string, init: RequestInit) => {
      const expired = url.endsWith("/telemetry") && ++calls === 2;
      const headers = { ...init.headers, authorization: "Bearer expired" };
      return fetch(url, expired ? { ...init, headers } : init);
    };
    const { events } = await runDemoAgainst(server, { fetch: fetchOnceExpired });
    expect(events).toContainEqual(expect.objectContaining({ kind: "replayed", stored: 1_200 }));
  });
});
