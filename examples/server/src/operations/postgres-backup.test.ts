import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDeviceClient } from "@device-gateway/device-client";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { Client } from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { createBrowser } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";

useCheapScrypt();

const run = promisify(execFile);

async function readServerVersion(): Promise<number> {
  const client = new Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  const { rows } = await client.query<{ v: string }>(
    "SELECT current_setting('server_version_num') v",
  );
  await client.end();
  return Math.floor(Number(rows[0]?.v) / 10_000);
}

/** Finds a folder with a `pg_dump` that is at least as new as the server. An older one refuses to run. */
async function findDump(version: number): Promise<string | undefined> {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const path = (process.env["PATH"] ?? "").split(":");
  for (const folder of [...versions.map((name) => join(debian, name, "bin")), ...path]) {
    if (!existsSync(join(folder, "pg_dump"))) continue;
    const { stdout } = await run(join(folder, "pg_dump"), ["--version"]);
    if (Number(/ (\d+)\./.exec(stdout)?.[1]) >= version) return folder;
  }
  return undefined;
}

const programs = await findDump(await readServerVersion());

it.skipIf(programs === undefined)(
  "a server continues on another database restored from a dump of one in use (needs a pg_dump of the server's version)",
  async () => {
    const tool = (name: string) => join(programs ?? "", name);
    const open = async () => {
      const database = await createTemporaryDatabase(inject("postgresUrl"));
      onTestFinished(() => database.remove());
      return database.url;
    };
    const [from, to] = [await open(), await open()];
    const first = await startTestServer({ DATABASE_URL: from });
    const device = createDeviceClient({ baseUrl: first.url });
    const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
    const registered = await device.register({ deviceId: "gw-1", ...identity });
    const { deviceSecret } = registered._unsafeUnwrap();
    for (let n = 0; n < 20; n++) (await device.sendTelemetry({ n }))._unsafeUnwrap();
    const signedUp = await createBrowser(first.url, { proxied: false }).signUp("ann@example.com");
    expect(signedUp.status).toBe(200);
    const file = join(await makeTempFolder(), "gateway.dump");
    await run(tool("pg_dump"), ["--format=custom", `--file=${file}`, from]);
    await first.stop();
    await run(tool("pg_restore"), ["--exit-on-error", "--no-owner", `--dbname=${to}`, file]);

    const DATA_DIR = await makeTempFolder();
    await copyFile(join(first.settings.DATA_DIR, "secrets.json"), join(DATA_DIR, "secrets.json"));
    const second = await startTestServer({ DATABASE_URL: to, DATA_DIR });
    const again = createDeviceClient({ baseUrl: second.url });
    (await again.login({ deviceId: "gw-1", deviceSecret }))._unsafeUnwrap();
    (await again.sendTelemetry({ n: 20 }))._unsafeUnwrap();
    const browser = createBrowser(second.url, { proxied: false });
    expect((await browser.signIn("ann@example.com")).status).toBe(200);
    const store = await openPostgresStore({ url: to });
    const records = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 100 });
    await store.close();
    expect(records.map(({ value }) => value["n"])).toEqual(Array.from({ length: 21 }, (_, n) => n));
  },
);
