import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { GatewayStore } from "@device-gateway/core";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { sampleDevice, sampleEvent, sampleRecord } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { Settings } from "../settings/settings.js";
import { buildServer } from "../testing/server-process.js";
import { makeTempFolder } from "../testing/start-test-server.js";
import { rebuildRollUps } from "./rebuild-roll-ups.js";

const hour = 3_600_000;
const devices = ["gw-1", "gw-2"];

async function run(folder: string, ...args: string[]) {
  const lines: string[] = [];
  const settings = Settings.parse({ DATA_DIR: folder });
  const code = await rebuildRollUps(settings, args, (line) => lines.push(line));
  return { code, output: lines.join("\n") };
}

async function withStore<Result>(
  folder: string,
  work: (store: GatewayStore) => Promise<Result>,
): Promise<Result> {
  const store = await openSqliteStore({ file: join(folder, "gateway.db") });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Stores and rolls up two days of records of two devices. They end some hours ago. */
async function makeHistory() {
  const folder = await makeTempFolder();
  const start = Math.floor(Date.now() / hour - 60) * hour;
  await withStore(folder, async ({ devices: registry, telemetry }) => {
    for (const deviceId of devices) {
      await registry.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
      const records = Array.from({ length: 192 }, (_, n) =>
        sampleRecord({ at: start + n * (hour / 4), value: { voltage: 12 + n / 10, n } }),
      );
      await telemetry.append({ deviceId, receivedAt: start, records, once: null });
    }
    while ((await telemetry.rollUp({ before: Date.now(), limit: 50 })).more);
  });
  return { folder, start };
}

const readAll = (folder: string, start: number) =>
  withStore(folder, ({ telemetry }) =>
    Promise.all(
      devices.map((deviceId) =>
        telemetry.aggregate({
          ...{ deviceId, from: start, to: start + 48 * hour, receivedFrom: 0 },
          intervalMs: hour,
          selection: { names: [], prefixes: [], topLevel: true },
        }),
      ),
    ),
  );

/** Damages roll-ups with SQL. */
function damage(folder: string, sql: string): void {
  const database = new Database(join(folder, "gateway.db"));
  database.exec(sql);
  database.close();
}

describe("rebuild-roll-ups", () => {
  it("rebuilds damaged and missing roll-ups from their records", async () => {
    const { folder, start } = await makeHistory();
    const before = await readAll(folder, start);
    expect(before.map((buckets) => buckets.length)).toEqual([96, 96]);
    damage(
      folder,
      `UPDATE telemetry_rollups SET shape = NULL, content = CAST('{"voltage":[9,9,9,9,9,9]}' AS BLOB)
         WHERE hour % 3 = 0;
       UPDATE telemetry_rollups SET content = x'00' WHERE device = 1 AND hour = ${start + 7 * hour};
       DELETE FROM telemetry_rollups WHERE device = 2 AND hour >= ${start + 40 * hour}`,
    );
    await expect(readAll(folder, start)).rejects.toThrow();
    const env = { PATH: process.env["PATH"], DATA_DIR: folder };
    const command = [await buildServer(), "rebuild-roll-ups"];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    expect(stdout).toContain("96 hours were rolled up");
    expect(await readAll(folder, start)).toEqual(before);
  });

  it("rebuilds only the given device and range", async () => {
    const { folder, start } = await makeHistory();
    const [one, two] = await readAll(folder, start);
    damage(
      folder,
      `UPDATE telemetry_rollups SET shape = NULL, content = CAST('{"n":[9,9,9,9,9,9]}' AS BLOB)`,
    );
    const [from, to] = [start + 10 * hour, start + 12 * hour].map((at) =>
      new Date(at).toISOString(),
    );
    const range = ["--from", from ?? "", "--to", to ?? ""];
    const { output } = await run(folder, "--device", "gw-1", ...range);
    expect(output).toContain("2 hours were rolled up");
    const [after, other] = await readAll(folder, start);
    const isIn = (bucket: { start: number }) =>
      bucket.start >= start + 10 * hour && bucket.start < start + 12 * hour;
    expect(after?.filter(isIn)).toEqual(one?.filter(isIn));
    expect(after?.filter((bucket) => !isIn(bucket))).toHaveLength(46);
    expect(other).not.toEqual(two);
  });

  it("reports invalid arguments and unknown devices", async () => {
    const { folder } = await makeHistory();
    for (const args of [["--from", "yesterday"], ["--form", "2026-01-01T00:00:00Z"], ["now"]]) {
      const { code, output } = await run(folder, ...args);
      expect(code).toBe(2);
      expect(output).toContain("Usage: ");
    }
    const range = ["--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z"];
    expect(await run(folder, ...range)).toMatchObject({ code: 2 });
    expect(await run(join(folder, "none"))).toMatchObject({ code: 1 });
    const unknown = await run(folder, "--device", "gw-3");
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining("gw-3") });
  });
});
