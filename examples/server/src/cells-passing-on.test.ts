import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { expect, it, onTestFinished } from "vitest";
import { runOn } from "../../../packages/store-postgres/src/testing/temporary-database.js";
import { startFakeReceiver } from "../../../packages/telemetry-sink/src/testing/fake-receiver.js";
import {
  type Answer,
  accept,
  type Received,
  refuse,
  startReceiver,
} from "../../../packages/webhooks/src/testing/receiver.js";
import { createCellDatabases } from "./testing/cell-databases.js";
import { signCustomer } from "./testing/customer.js";
import { buildServer, startServerProcess } from "./testing/server-process.js";

const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
const kind = "below";
const condition = { kind, metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 } as const;
/** Each reading changes the alert: it fires, clears, fires and clears. */
const readings = [10, 30, 11, 31];
const kinds = ["alert.firing", "alert.cleared"] as const;

it("§8 over cells in two databases, the bundled server passes on each alert and record, although it is killed meanwhile", async () => {
  const { home, devices, environment } = await createCellDatabases();
  const hook = await startReceiver();
  const sink = await startFakeReceiver();
  onTestFinished(() => Promise.all([hook.close(), sink.close()]).then(() => {}));
  const passing = {
    ...{ ...environment, WEBHOOKS: "1", WEBHOOKS_INTRANET: "1" },
    TELEMETRY_SINK_URL: sink.url,
  };
  const program = await buildServer();
  const first = await startServerProcess(program, passing);
  const token = await signCustomer("operator", { roles: ["operator"] });
  const operator = createUserClient({ baseUrl: first.url, token });
  const query = { scope: "operator" } as const;
  const endpoint = { url: hook.url, filter: { kinds: [...kinds] } };
  (await operator.createWebhook({ query, body: endpoint }))._unsafeUnwrap();
  (await operator.createAlertRule({ query, body: { name: "Low", condition } }))._unsafeUnwrap();

  // At the kill, one webhook has arrived, one waits for its next attempt, and one is under way. So is a request to the sink.
  const [, refused, unanswered] = devices;
  const taken: Received[] = [];
  const take: Answer = (response, received) => {
    taken.push(received);
    accept(response, received);
  };
  hook.answer = (response, received) => {
    if (received.deviceId === unanswered) return;
    (received.deviceId === refused ? refuse : take)(response, received);
  };
  sink.answer(() => null);
  const startedAt = Date.now() - 60_000;
  const toRecord = (soc: number, n: number) => ({ timestamp: startedAt + n, soc });
  const [earliest, ...later] = readings.map(toRecord);
  const clients = [];
  for (const deviceId of devices) {
    const client = createDeviceClient({ baseUrl: first.url });
    (await client.register({ deviceId, ...identity }))._unsafeUnwrap();
    (await client.sendTelemetry([earliest]))._unsafeUnwrap();
    clients.push(client);
  }
  const heardOf = () => new Set(hook.received.map(({ deviceId }) => deviceId)).size;
  await expect.poll(heardOf).toBe(devices.length);
  await expect.poll(() => sink.writes.length).toBeGreaterThan(0);
  for (const client of clients) (await client.sendTelemetry(later))._unsafeUnwrap();
  expect(await first.end("SIGKILL")).toBeNull();

  hook.answer = take;
  sink.answer(() => 204);
  const written = sink.writes.length;
  // The leases of the killed process would expire within half a minute.
  await runOn(home, "UPDATE device_gateway.followers SET lease_until = 0");
  const second = await startServerProcess(program, passing);
  const eventsOf = (deviceId: string) => {
    const messages = taken.filter((message) => message.deviceId === deviceId);
    const once = new Map(messages.map(({ headers, type }) => [headers["webhook-id"], type]));
    return [...once.values()];
  };
  const wanted = readings.map((_, n) => kinds[n % 2]);
  await expect.poll(() => devices.map(eventsOf)).toEqual(devices.map(() => wanted));
  const lines = devices.flatMap((id) =>
    readings
      .map(toRecord)
      .map(
        ({ soc, timestamp }) => `telemetry,deviceId=${id},hardware=board soc=${soc} ${timestamp}`,
      ),
  );
  const answered = () => sink.writes.slice(written).flatMap((write) => write.lines);
  await expect.poll(answered).toEqual(expect.arrayContaining(lines));
  expect(await second.end("SIGTERM")).toBe(0);
});
