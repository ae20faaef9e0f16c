import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createDeviceClient, type DeviceClient } from "@device-gateway/device-client";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { expect, it } from "vitest";
import { buildServer, startServerProcess } from "./testing/server-process.js";
import { makeTempFolder } from "./testing/start-test-server.js";

const devices = ["gw-1", "gw-2", "gw-3"];
const writersPerDevice = 4;
const killAfter = 300;

async function registerDevice(url: string, deviceId: string): Promise<DeviceClient> {
  const client = createDeviceClient({ baseUrl: url });
  const registration = { hardwareId: "b", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
  const response = await client.register({ deviceId, ...registration });
  if (response.isErr()) throw new Error(response.error.message);
  return client;
}

async function readNumbers(folder: string, deviceId: string): Promise<Set<number>> {
  const store = await openSqliteStore({ file: join(folder, "gateway.db") });
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 1_000_000 });
  await store.close();
  return new Set(records.map(({ value }) => value["number"] as number));
}

it("§4 a killed server loses no acknowledged record", async () => {
  const DATA_DIR = await makeTempFolder();
  const program = await buildServer();
  const environment = { DATA_DIR, DG_LIMIT_TELEMETRY_PER_MINUTE: "1000000" };
  const server = await startServerProcess(program, environment);
  const clients = await Promise.all(devices.map((id) => registerDevice(server.url, id)));

  const acknowledged = new Map(devices.map((id) => [id, [] as number[]]));
  let count = 0;
  let number = 0;
  let killed: Promise<number | null> | undefined;
  const write = async (client: DeviceClient, acknowledgedHere: number[]) => {
    for (;;) {
      // Single records and batches, so that the kill interrupts both.
      const records = Array.from({ length: 1 + (number % 3) }, () => ({ number: ++number }));
      const response = await client.sendTelemetry({ records });
      if (response.isErr()) return;
      expect(response.value.accepted).toBe(records.length);
      acknowledgedHere.push(...records.map((record) => record.number));
      count += records.length;
      if (count >= killAfter) killed ??= server.end("SIGKILL");
    }
  };
  await Promise.all(
    [...acknowledged.values()].flatMap((numbers, i) =>
      Array.from({ length: writersPerDevice }, () => write(clients[i] as DeviceClient, numbers)),
    ),
  );
  expect(await killed).toBeNull();

  const again = await startServerProcess(program, environment);
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  expect(await again.end("SIGTERM")).toBe(0);

  expect(count).toBeGreaterThanOrEqual(killAfter);
  for (const [deviceId, numbers] of acknowledged) {
    const stored = await readNumbers(DATA_DIR, deviceId);
    expect(numbers.filter((it) => !stored.has(it))).toEqual([]);
  }
});

it("starts with its demo without a warning", async () => {
  const environment = { DATA_DIR: await makeTempFolder(), DEMO: "1" };
  const { before, end } = await startServerProcess(await buildServer(), environment);
  expect(before).toEqual([]);
  await end("SIGKILL");
});

it("stops gracefully on a signal as soon as it is ready, even before its demo has started", async () => {
  const environment = { DATA_DIR: await makeTempFolder(), DEMO: "1" };
  const { end } = await startServerProcess(await buildServer(), environment);
  expect(await end("SIGTERM")).toBe(0);
});

it("prints with --help the commands and where the settings are documented", async () => {
  const args = [await buildServer(), "--help"];
  const env = { PATH: process.env["PATH"], PORT: "not one", DATA_DIR: await makeTempFolder() };
  const { status, stdout } = spawnSync(process.execPath, args, { env });
  expect(status).toBe(0);
  for (const expected of [
    ...["back-up <new folder>", "rebuild-roll-ups [--device <id>]", "README.md"],
    ...["find-account <e-mail address>", "reset-factor <e-mail address>", "sign-everybody-out"],
  ]) {
    expect(stdout.toString()).toContain(expected);
  }
  expect(await readdir(env.DATA_DIR)).toEqual([]);
});

it("does not start a server if a command is mistyped", async () => {
  const args = [await buildServer(), "--demo", "back-upp", "/mnt/x"];
  const env = { PATH: process.env["PATH"], PORT: "0", DATA_DIR: await makeTempFolder() };
  const { status, stderr } = spawnSync(process.execPath, args, { env });
  expect(status).toBe(2);
  expect(stderr.toString()).toContain(
    "The commands are back-up, cells, find-account, rebuild-roll-ups, reset-factor, sign-everybody-out, and webhooks",
  );
});
