import { createDeviceClient } from "@device-gateway/device-client";
import { expect, inject, it, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { customerSettings, signCustomer } from "../testing/customer.js";
import { buildServer, type ServerProcess, startServerProcess } from "../testing/server-process.js";
import { makeTempFolder } from "../testing/start-test-server.js";

useCheapScrypt();

async function startServer(environment: Readonly<Record<string, string>> = {}) {
  const DATA_DIR = environment["DATA_DIR"] ?? (await makeTempFolder());
  const settings = { METRICS_PORT: "0", ...customerSettings, ...environment, DATA_DIR };
  return startServerProcess(await buildServer(), settings);
}

/** Returns the token of a new device. */
async function register({ url }: ServerProcess): Promise<string> {
  const body = { deviceId: "gw-1", hardwareId: "board", firmwareVersion: "1.0.0" };
  const client = createDeviceClient({ baseUrl: url });
  return (await client.register({ ...body, claimCode: "ABCD-EFGH" }))._unsafeUnwrap().token;
}

async function waitForCommands({ url }: ServerProcess, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/v1/device/commands?wait=45`, { headers });
  const { commands, code } = (await response.json()) as { commands?: unknown; code?: string };
  return { status: response.status, ...(code === undefined ? { commands } : { code }) };
}

/** Returns how many requests wait in the server. */
async function countWaiting({ metricsUrl }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  return Number(/^device_gateway_command_requests_waiting (\d+)$/m.exec(metrics)?.[1]);
}

/** Resolves when so many requests wait in the server. */
const untilWaiting = (server: ServerProcess, count: number) =>
  expect.poll(() => countWaiting(server)).toBe(count);

const empty = { status: 200, commands: [] };

it("§11 SIGTERM answers a request that waits for a command, and the process ends", async () => {
  const server = await startServer();
  const waiting = waitForCommands(server, await register(server));
  await untilWaiting(server, 1);
  const ended = server.end("SIGTERM");
  expect(await waiting).toEqual(empty);
  expect(await ended).toBe(0);
});

it("§11 a server that drains after SIGTERM lets no request wait any longer", async () => {
  const server = await startServer({ DRAIN_SECONDS: "300" });
  const token = await register(server);
  const waiting = waitForCommands(server, token);
  await untilWaiting(server, 1);
  const ended = server.end("SIGTERM");
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
  // The request ends within a few responses of the server. By itself, it would end after 45 s.
  let count = 1;
  for (let n = 0; n < 20 && count > 0; n++) count = await countWaiting(server);
  expect(count).toBe(0);
  expect(await waiting).toEqual(empty);
  let isAnswered = false;
  const later = waitForCommands(server, token).finally(() => {
    isAnswered = true;
  });
  await expect.poll(async () => isAnswered || (await countWaiting(server)) > 0).toBe(true);
  expect(isAnswered, "it did not wait").toBe(true);
  expect(await later).toEqual(empty);
  await server.end("SIGKILL");
  expect(await ended).toBeNull();
});

it("§11 a revocation at one server ends a request that waits at another", async () => {
  const { url: DATABASE_URL, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  const environment = { DATA_DIR: await makeTempFolder(), DATABASE_URL };
  const first = await startServer(environment);
  const second = await startServer(environment);
  const waiting = waitForCommands(first, await register(second));
  await untilWaiting(first, 1);
  const operator = await signCustomer("op", { roles: ["operator"] });
  const revoked = await fetch(`${second.url}/api/v1/operator/devices/gw-1/revoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${operator}` },
  });
  expect(revoked.status).toBe(200);
  expect(await waiting).toEqual({ status: 401, code: "unauthorized" });
  await untilWaiting(first, 0);
});
