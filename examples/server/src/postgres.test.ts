import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import {
  createTemporaryDatabase,
  type TemporaryDatabase,
} from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { createLogger } from "./log/logger.js";
import { readSettings } from "./settings/read-settings.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";
import { makeTempFolder, startTestServer } from "./testing/start-test-server.js";

useCheapScrypt();

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await createTemporaryDatabase(inject("postgresUrl"));
});
afterEach(() => database.remove());

it("several server processes share one Postgres database, and a later one continues", async () => {
  // Servers of the same devices share their secrets.
  const environment = { DATA_DIR: await makeTempFolder(), DATABASE_URL: database.url };
  const program = await buildServer();
  const a = await startServerProcess(program, environment);
  const b = await startServerProcess(program, environment);
  const client = createDeviceClient({ baseUrl: a.url });
  const registered = await client.register({
    ...{ deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" },
    claimCode: "ABCD-EFGH",
  });
  const { token } = registered._unsafeUnwrap();
  const send = (url: string, n: number) =>
    fetch(`${url}/api/v1/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ timestamp: Date.now() - n, n }),
    });
  for (const [n, url] of [a.url, b.url, a.url, b.url].entries()) {
    const response = await send(url, n);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ accepted: 1 });
  }
  expect(await a.end("SIGKILL")).toBeNull();
  expect((await send(b.url, 5)).status).toBe(200);
  expect(await b.end("SIGTERM")).toBe(0);
  const again = await startServerProcess(program, environment);
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  expect((await send(again.url, 6)).status).toBe(200);
  expect(await again.end("SIGTERM")).toBe(0);
});

it("the server does not start with new secrets if the database has devices", async () => {
  const first = await startTestServer({ DATABASE_URL: database.url });
  const client = createDeviceClient({ baseUrl: first.url });
  const device = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" };
  (await client.register({ ...device, claimCode: "ABCD-EFGH" }))._unsafeUnwrap();
  const second = startTestServer({ DATABASE_URL: database.url });
  await expect(second).rejects.toThrow("Put the old secrets.json back");
  await first.stop();
});

it("of servers with different secrets on one empty database, one starts and the others say what to do", async () => {
  const program = await buildServer();
  const start = (DATA_DIR: string) =>
    startServerProcess(program, { DATA_DIR, DATABASE_URL: database.url, ACCOUNTS: "0" });
  const folders = await Promise.all([makeTempFolder(), makeTempFolder(), makeTempFolder()]);
  const started = await Promise.allSettled(folders.map(start));
  const winner = started.findIndex(({ status }) => status === "fulfilled");
  const failures = started.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(failures).toHaveLength(2);
  for (const failure of failures) {
    expect(String(failure)).toMatch(
      /did not start\. The database was first used with other secrets .* Replace .*secrets\.json \(mode 0600\) with the secrets\.json of another server/,
    );
  }
  const loser = folders[winner === 0 ? 1 : 0] as string;
  await copyFile(join(folders[winner] as string, "secrets.json"), join(loser, "secrets.json"));
  await start(loser);
});

it("the server does not start without its database, and does not print the password", async () => {
  const environment = {
    DATA_DIR: await makeTempFolder(),
    DATABASE_URL: "postgres://gateway:hunter2-and-more@127.0.0.1:1/gateway",
  };
  const failure = await startServerProcess(await buildServer(), environment).then(
    () => "it started",
    String,
  );
  expect(failure).toMatch(/The database cannot be used: .*unset it for SQLite/s);
  expect(failure).not.toContain("hunter2");
});

it("an invalid DATABASE_URL is refused without being shown, and a valid one is censored in logs", () => {
  const reading = readSettings({ DATABASE_URL: "mysql://gateway:hunter2@db/gateway" });
  expect(reading).toMatchObject({
    kind: "unusable",
    problems: [expect.stringMatching(/^DATABASE_URL must be a URL such as postgres:/)],
  });
  expect(JSON.stringify(reading)).not.toContain("hunter2");
  let written = "";
  const logger = createLogger({
    ...{ level: "info", readable: false, coloured: false },
    write: (text) => {
      written += text;
    },
  });
  logger.info({ settings: { DATABASE_URL: database.url } }, "Settings");
  const message = "connect to postgres://gateway:hun-ter@2@db:5432/name failed";
  logger.error({ err: new Error(message) }, message);
  expect(written).not.toMatch(/hun-ter|ter@2/);
  expect(written).toContain("postgres://gateway:[redacted]@db:5432/name");
});
