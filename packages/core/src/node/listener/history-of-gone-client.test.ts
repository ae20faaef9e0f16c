import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway } from "../../gateway.js";
import { toNodeListener } from "./node-listener.js";

const path = "/api/v1/dashboard/devices/gw-1/telemetry/history?interval=raw&limit=5000";

test("the history of a client that disconnects is not read to its end, is not a fault, and costs only what was read", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore();
  await registerSampleDevice(store, "gw-1", sampleOwnership("alice"));
  const times = Array.from({ length: 500 }, (_, n) => clock.now() - 1 - n);
  await store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt: clock.now(), once: null },
    records: times.map((at, n) => ({ at, seq: n, isTimed: true, value: { n } })),
  });
  const log = vi.fn();
  const gateway = await createGateway({
    ...{ store, clock, secrets: generateSecrets(), limits: { dashboardPerMinute: 40 } },
    logger: { debug() {}, info: log, warn: log, error: log },
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
  });
  const answered = new Promise((resolve) => gateway.on("request.answered", resolve));

  const server = createServer(toNodeListener(gateway)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  const [connection] = await once(server, "connection");
  const read = store.telemetry.metrics;
  const pages = vi.spyOn(store.telemetry, "metrics").mockImplementation(async (query) => {
    const page = await read(query);
    client.destroy();
    if (!connection.destroyed) await once(connection, "close");
    return page;
  });
  client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n\r\n`);

  expect(await answered).toMatchObject({ route: "readTelemetryHistory", fault: "client_gone" });
  expect(pages).toHaveBeenCalledTimes(1);
  expect(log).not.toHaveBeenCalled();

  pages.mockRestore();
  // Another one in full takes half of the tokens.
  const second = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: "Bearer alice" },
  });
  expect(second.status).toBe(200);
  expect(((await second.json()) as { points: unknown[] }).points).toHaveLength(500);
});
