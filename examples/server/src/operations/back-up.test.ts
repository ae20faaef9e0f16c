import { copyFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseColumnNames } from "@device-gateway/core/store";
import { createDeviceClient, type DeviceClient } from "@device-gateway/device-client";
import { createReleaseSigner, sampleRelease } from "@device-gateway/testing";
import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished, vi } from "vitest";
import { readFirmwareKeys } from "../data/firmware-keys.js";
import { Settings } from "../settings/settings.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { createCustomer, customerSettings, signCustomer } from "../testing/customer.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import { backUp } from "./back-up.js";

useCheapScrypt();

const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };

async function run(settings: Settings, ...args: string[]) {
  const lines: string[] = [];
  const code = await backUp(settings, args, (line) => lines.push(line));
  return { code, output: lines.join("\n") };
}

it("a backup of a busy server contains all records acknowledged before it, and another server starts on it", async () => {
  const limits = { DG_LIMIT_TELEMETRY_PER_MINUTE: 1_000_000 };
  const first = await startTestServer({ ...customerSettings, ...limits });
  const device = createDeviceClient({ baseUrl: first.url });
  const { deviceSecret } = (
    await device.register({ deviceId: "gw-1", ...identity })
  )._unsafeUnwrap();
  const customer = createCustomer(first.url, await signCustomer("c-1"));
  expect((await customer.claim("gw-1", identity.claimCode)).status).toBe(200);

  let acknowledged = 0;
  let busy = true;
  const write = async (client: DeviceClient) => {
    while (busy) {
      (await client.sendTelemetry({ n: acknowledged + 1 }))._unsafeUnwrap();
      acknowledged += 1;
    }
  };
  const writing = write(device);
  await expect.poll(() => acknowledged).toBeGreaterThan(5);
  const before = acknowledged;
  const backup = join(await makeTempFolder(), "backup");
  expect(await run(first.settings, backup)).toMatchObject({
    code: 0,
    output: expect.stringContaining("Not backed up: secrets.json"),
  });
  busy = false;
  await writing;
  await first.stop();

  expect((await readdir(backup)).sort()).toEqual([
    "accounts.db",
    "firmware",
    "firmware-keys",
    "gateway.db",
  ]);
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  // Restore: the folder becomes DATA_DIR, and the secrets are copied back.
  await copyFile(join(first.settings.DATA_DIR, "secrets.json"), join(backup, "secrets.json"));
  const second = await startTestServer({ ...customerSettings, DATA_DIR: backup });
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  const again = createDeviceClient({ baseUrl: second.url });
  (await again.login({ deviceId: "gw-1", deviceSecret }))._unsafeUnwrap();
  const owner = createCustomer(second.url, await signCustomer("c-1"));
  const path = "/api/v1/dashboard/devices/gw-1/telemetry/export?format=ndjson";
  const headers = { authorization: `Bearer ${await signCustomer("c-1")}` };
  const lines = (await (await fetch(second.url + path, { headers })).text()).trim().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(before);
  expect((await owner.listDevices()).body).toMatchObject({ devices: [{ id: "gw-1" }] });
});

it.each([
  ["in the data folder", false],
  ["elsewhere", true],
])("a backup contains the releases' public keys and no private key: %s", async (_, elsewhere) => {
  const DATA_DIR = await makeTempFolder();
  const keys = elsewhere ? await makeTempFolder() : join(DATA_DIR, "firmware-keys");
  await mkdir(keys, { recursive: true });
  const { settings } = await startTestServer({
    DATA_DIR,
    ...(elsewhere && { FIRMWARE_KEYS: keys }),
  });
  const { key } = await createReleaseSigner("release-2026");
  await writeFile(join(keys, "release-2026.public.pem"), key.publicKey);
  await writeFile(join(keys, "release-2026.private.pem"), "private");

  const backup = join(await makeTempFolder(), "backup");
  const { output } = await run(settings, backup);
  expect(output).toContain("0 firmware images and 1 public key.");
  expect(await readdir(join(backup, "firmware-keys"))).toEqual(["release-2026.public.pem"]);
  const restored = { DATA_DIR: backup, FIRMWARE_KEYS: undefined };
  expect(await readFirmwareKeys(restored)).toEqual([key]);
});

it("back-up reports what it needs, and never overwrites anything", async () => {
  const folder = await makeTempFolder();
  const settings = Settings.parse({ DATA_DIR: folder });
  vi.stubEnv("INIT_CWD", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await run(settings, "."), "relative to the typed folder").toMatchObject({
    output: `${folder} already exists. Name a new folder.`,
  });
  expect(await run(settings)).toMatchObject({ code: 2, output: expect.stringContaining("Usage") });
  expect(await run(settings, "--help")).toMatchObject({
    code: 2,
    output: expect.stringContaining("Usage"),
  });
  expect(await run(settings, folder)).toMatchObject({
    code: 2,
    output: expect.stringContaining("already exists"),
  });
  expect(await run(settings, join(folder, "new"))).toMatchObject({
    code: 1,
    output: expect.stringContaining("There is no gateway.db"),
  });
  const elsewhere = Settings.parse({ DATABASE_URL: "postgres://localhost/gateway" });
  expect(await run(elsewhere, join(folder, "new"))).toMatchObject({
    code: 1,
    output: expect.stringContaining("pg_dump"),
  });
});

it("a failed backup leaves nothing behind and reports why", async () => {
  const { settings, stop } = await startTestServer();
  await stop();
  const above = await makeTempFolder();
  const backup = join(above, "backup");
  // The accounts are copied after the gateway's data.
  await writeFile(join(settings.DATA_DIR, "accounts.db"), "no database".repeat(1_000));
  await rm(join(settings.DATA_DIR, "accounts.db-wal"), { force: true });
  expect(await run(settings, backup)).toMatchObject({
    code: 1,
    output: expect.stringMatching(
      /^The backup failed and was removed: file is not a database\. Fix that/,
    ),
  });
  expect(await readdir(above)).toEqual([]);
  expect(await run(settings, join(above, "missing", "backup"))).toMatchObject({
    code: 1,
    output: expect.stringContaining("Name a folder inside an existing one."),
  });
});

it("a backup without an image of the database is kept, and reported as incomplete", async () => {
  const { settings, stop } = await startTestServer();
  await stop();
  const images = join(settings.DATA_DIR, "firmware");
  await mkdir(join(images, "lost+found"), { recursive: true });
  const database = new Sqlite(join(settings.DATA_DIR, "gateway.db"));
  const release = sampleRelease({ hasImage: true, sha256: "ab".repeat(32) });
  const columns = Object.entries(releaseColumnNames).map(([name, column]) => {
    const value = release[name as keyof typeof release];
    return [column, typeof value === "boolean" ? Number(value) : value] as const;
  });
  const names = ["revision", ...columns.map(([column]) => column)];
  database
    .prepare(`INSERT INTO releases (${names.join()}) VALUES (${names.map(() => "?").join()})`)
    .run(1, ...columns.map(([, value]) => value));
  database.close();
  const above = await makeTempFolder();
  expect(await run(settings, join(above, "first"))).toMatchObject({
    code: 1,
    output: expect.stringContaining("lacks 1 firmware image of the database"),
  });
  expect(await readdir(above)).toEqual(["first"]);
  await writeFile(join(images, release.sha256), "image");
  expect(await run(settings, join(above, "second"))).toMatchObject({ code: 0 });
});

it("an incomplete backup has another name, and another backup's incomplete folder is not touched", async () => {
  const { settings } = await startTestServer();
  const backup = join(await makeTempFolder(), "backup");
  await mkdir(`${backup}.partial`);
  expect(await run(settings, backup)).toMatchObject({
    code: 2,
    output: expect.stringContaining("did not finish. Delete it"),
  });
  expect(await readdir(`${backup}.partial`)).toEqual([]);
});

it("the SQLite version does not have the WAL-reset bug (3.7.0 to 3.51.2)", () => {
  const database = new Sqlite(":memory:");
  const version = database.prepare("SELECT sqlite_version()").pluck().get() as string;
  database.close();
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  expect(major * 1_000_000 + minor * 1_000 + patch).toBeGreaterThanOrEqual(3_051_003);
});
