import { readSecurityEvents, sampleDevice, sampleEvent } from "@device-gateway/testing";
import { afterEach, expect, it } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { type ScriptProcess, startScript } from "../testing/script-process.js";
import { createTemporaryFile } from "../testing/temporary-file.js";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function temporaryFile(): string {
  const { file, remove } = createTemporaryFile();
  cleanups.push(remove);
  return file;
}

async function start(name: string, ...args: string[]): Promise<ScriptProcess> {
  const script = await startScript(name, ...args);
  cleanups.push(() => script.kill());
  return script;
}

async function startRacers(): Promise<ScriptProcess[]> {
  const racers = [await start("race-script"), await start("race-script")];
  for (const racer of racers) expect(await racer.nextLine()).toBe("ready");
  return racers;
}

/** Starts all racers on one device at once. Returns how often each outcome occurred. */
async function runRound(
  racers: ScriptProcess[],
  file: string,
  deviceId: string,
  race: "register" | "claim" = "register",
) {
  // Alternate who starts first, or the same racer would win every time.
  racers.reverse();
  for (const racer of racers) racer.send(`${file} ${deviceId} ${race}`);
  const lines = await Promise.all(racers.map((racer) => racer.nextLine()));
  const kinds = lines.flatMap((line) => JSON.parse(line ?? "[]") as string[]);
  return Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((other) => other === kind).length]),
  );
}

const oneWinnerEach = { registered: 1, exists: 3, replaced: 1, conflict: 3 };

it("one of two processes wins each race on one file", async () => {
  const racers = await startRacers();
  const file = temporaryFile();
  const devices = Array.from({ length: 60 }, (_, n) => `gw-${n}`);
  for (const deviceId of devices) {
    expect(await runRound(racers, file, deviceId)).toEqual(oneWinnerEach);
  }
  const store = await openSqliteStore({ file });
  const registrants = new Set<unknown>();
  for (const deviceId of devices) {
    const [registered, configured, ...others] = await readSecurityEvents(store, deviceId);
    expect(others).toEqual([]);
    registrants.add(registered?.details.racer);
    const overrides = (await store.devices.find(deviceId))?.configOverrides;
    expect(overrides).toEqual({ values: configured?.details, revision: 1 });
  }
  await store.close();
  expect(registrants.size, "processes that ever won: it was a race").toBe(2);
});

it("one of two processes claims each device of one file", async () => {
  const racers = await startRacers();
  const file = temporaryFile();
  const store = await openSqliteStore({ file });
  const winners = new Set<unknown>();
  for (let n = 0; n < 200; n++) {
    const deviceId = `gw-${n}`;
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
    const outcomes = await runRound(racers, file, deviceId, "claim");
    expect(outcomes).toEqual({ claimed: 1, taken: 3 });
    const [, claimed, ...others] = await readSecurityEvents(store, deviceId);
    expect(others).toEqual([]);
    const ownerId = (await store.devices.find(deviceId))?.ownership?.ownerId;
    expect(ownerId).toBe(claimed?.details.ownerId);
    winners.add(claimed?.details.racer);
  }
  await store.close();
  expect(winners.size, "processes that ever won: it was a race").toBe(2);
});

it("two processes can create and migrate one file at once", async () => {
  const racers = await startRacers();
  for (let round = 0; round < 10; round++) {
    expect(await runRound(racers, temporaryFile(), "gw-1")).toEqual(oneWinnerEach);
  }
});

it("keeps what it reported as durable if the process is killed", async () => {
  const file = temporaryFile();
  const script = await start("append-script", file);
  const reported: string[] = [];
  for (;;) {
    const line = await script.nextLine();
    if (line === null) break;
    reported.push(line);
    if (reported.length === 100) script.kill();
  }
  const store = await openSqliteStore({ file });
  const records = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 1_000_000 });
  await store.close();
  const recordsPerCall = new Map<string, number>();
  for (const { value } of records) {
    const call = String(value["call"]);
    recordsPerCall.set(call, (recordsPerCall.get(call) ?? 0) + 1);
  }
  expect(reported.length).toBeGreaterThanOrEqual(100);
  expect(reported.filter((call) => !recordsPerCall.has(call))).toEqual([]);
  expect(new Set(recordsPerCall.values())).toEqual(new Set([3]));
});
