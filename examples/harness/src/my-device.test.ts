import { expect, onTestFinished, test } from "vitest";
import { identity, openBench } from "./my-device.js";

async function bench() {
  const opened = await openBench();
  onTestFinished(() => opened.cloud.close());
  return opened;
}

const { deviceId, claimCode } = identity;

test("my device survives a lost registration response", async () => {
  const { cloud, powerUp } = await bench();
  cloud.fail("registerDevice", { kind: "lost_answer" });
  expect((await powerUp().connect()).isOk()).toBe(true);

  // The device registered again, and the server still knows it as the same device.
  expect(cloud.requestsTo("registerDevice").map(({ status }) => status)).toEqual([201, 200]);
  expect((await powerUp().readConfig()).isOk()).toBe(true);
});

test("my device keeps its identity after it was claimed and its token has expired", async () => {
  const { cloud, powerUp } = await bench();
  const device = powerUp();
  expect((await device.connect()).isOk()).toBe(true);
  const authorization = `Bearer ${cloud.signIn("alice")}`;
  const claimed = await cloud.fetch(`${cloud.baseUrl}/api/v1/user/devices/claim`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ deviceId, claimCode }),
  });
  expect(claimed.status).toBe(200);

  cloud.expireTokens();
  expect((await device.readConfig()).isOk()).toBe(true);
  expect(cloud.requestsTo("registerDevice")).toHaveLength(1);
});

test("my device waits as long as the server asks", async () => {
  const { cloud, powerUp } = await bench();
  const device = powerUp();
  expect((await device.connect()).isOk()).toBe(true);
  cloud.fail("readConfig", { kind: "unavailable", retryAfterSeconds: 20 });
  expect((await device.readConfig()).isOk()).toBe(true);
  const [refused, repeated] = cloud.requestsTo("readConfig");
  const waited = (repeated?.at ?? 0) - (refused?.at ?? 0);
  expect(waited).toBeGreaterThanOrEqual(20_000);
});

test("buffered readings arrive once, despite an outage, a power cut and a lost response", async () => {
  const { cloud, powerUp } = await bench();
  const device = powerUp();
  expect((await device.connect()).isOk()).toBe(true);

  await cloud.goOffline();
  for (let minute = 0; minute < 90; minute++) {
    expect((await device.record({ temperature: 20 + minute / 10 })).isOk()).toBe(true);
    cloud.clock.advance(60_000);
  }
  expect((await device.flush()).isErr()).toBe(true);

  const rebooted = powerUp();
  await cloud.goOnline();
  cloud.fail("sendTelemetry", { kind: "lost_answer" });
  expect((await rebooted.flush()).isOk()).toBe(true);

  const records = (await cloud.records(deviceId)) as { temperature: number }[];
  expect(records.map(({ temperature }) => temperature)).toEqual(
    Array.from({ length: 90 }, (_, minute) => 20 + minute / 10),
  );
});

test("my device reports which readings it dropped when its flash was full", async () => {
  const { cloud, powerUp, events } = await bench();
  const device = powerUp();
  await cloud.goOffline();
  for (let hour = 0; hour < 12; hour++) {
    const readings = Array.from({ length: 1_000 }, (_, n) => ({ n: hour * 1_000 + n }));
    expect((await device.record(...readings)).isOk()).toBe(true);
  }
  const lost = events.flatMap((event) => (event.kind === "dropped" ? event.records : []));
  expect(lost.map(({ n }) => n)).toEqual(Array.from({ length: 2_000 }, (_, n) => n));
});

test("my device stops when it is revoked and works again when it is reinstated", async () => {
  const { cloud, powerUp } = await bench();
  const device = powerUp();
  expect((await device.connect()).isOk()).toBe(true);
  await cloud.revoke(deviceId);
  expect((await device.readConfig())._unsafeUnwrapErr()).toMatchObject({
    code: "unauthorized",
    cause: { code: "device_already_registered" },
  });

  const authorization = `Bearer ${cloud.signIn("olga", { operator: true })}`;
  const url = `${cloud.baseUrl}/api/v1/operator/devices/${deviceId}/reinstate`;
  await cloud.fetch(url, { method: "POST", headers: { authorization } });
  expect((await device.readConfig()).isOk()).toBe(true);
});

test("real hardware reaches the same cloud on a port", async () => {
  const { cloud } = await bench();
  const url = await cloud.listen();
  const health = async () => (await fetch(`${url}/healthz`)).status;
  expect(await health()).toBe(200);
  await cloud.goOffline();
  await expect(health()).rejects.toThrow();
  await cloud.goOnline();
  expect(await health()).toBe(200);
});
