import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { buildServer, startServerProcess } from "../testing/server-process.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import { createEarlyHealth } from "./create-early-health.js";

const statusOf = async (url: string) => (await fetch(url)).status;

it("a server that drains reports that it is not ready and goes on answering", async () => {
  const environment = { DATA_DIR: await makeTempFolder(), DRAIN_SECONDS: "300" };
  const server = await startServerProcess(await buildServer(), environment);
  expect(await statusOf(`${server.url}/readyz`)).toBe(200);
  const ended = server.end("SIGTERM");
  await expect.poll(() => statusOf(`${server.url}/readyz`)).toBe(503);
  const drained = await fetch(`${server.url}/readyz`);
  expect(drained.status).toBe(503);
  expect(Number(drained.headers.get("retry-after"))).toBeGreaterThanOrEqual(2);
  expect(await drained.json()).toMatchObject({ code: "unavailable" });
  expect(await statusOf(`${server.url}/healthz`)).toBe(200);
  expect(await statusOf(`${server.url}/api/v1/openapi.json`)).toBe(200);
  await server.end("SIGKILL");
  expect(await ended).toBeNull();
});

it("a server that has drained refuses connections", async () => {
  const server = await startTestServer({ DRAIN_SECONDS: 1 });
  await server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

it("a server that is opening its data is alive but not ready, and other requests wait", async () => {
  const earlyHealth = await createEarlyHealth();
  const server = createServer((incoming, response) => {
    earlyHealth(incoming.url)?.(incoming, response);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await statusOf(`${url}/healthz`)).toBe(200);
  const response = await fetch(`${url}/readyz?from=probe`);
  expect(response.status).toBe(503);
  expect(response.headers.get("x-request-id")).toMatch(/./);
  expect(earlyHealth("http://gateway.test/readyz")).not.toBeNull();
  expect(earlyHealth("/api/v1/telemetry")).toBeNull();
});
