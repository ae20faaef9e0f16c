import { expect, onTestFinished, test } from "vitest";
import { createTestCloud } from "./create-test-cloud.js";
import type { Fault } from "./fault.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

async function start(options: TestCloudOptions = {}): Promise<TestCloud> {
  const cloud = await createTestCloud(options);
  onTestFinished(() => cloud.close());
  return cloud;
}

/** The same cloud in process and on a port. */
async function ways(cloud: TestCloud) {
  const url = await cloud.listen();
  const openapi = "/api/v1/openapi.json";
  return [
    { name: "in process", get: (path = openapi) => cloud.fetch(cloud.baseUrl + path) },
    { name: "on a port", get: (path = openapi) => fetch(url + path) },
  ];
}

const read = async (response: Promise<Response>) => (await response).text();

test("each fault strikes as often as it is planned, in process as on a port", async () => {
  const cloud = await start();
  for (const { get } of await ways(cloud)) {
    const whole = await read(get());
    const spoil = (fault: Fault) => cloud.fail("readOpenApi", fault);

    spoil({ kind: "unreachable" });
    await expect(get()).rejects.toThrow(TypeError);
    expect(cloud.seen.at(-1)).toMatchObject({ route: "readOpenApi", status: null });

    spoil({ kind: "lost_answer" });
    await expect(get()).rejects.toThrow(TypeError);
    expect(cloud.seen.at(-1)).toMatchObject({ status: 200, fault: { kind: "lost_answer" } });

    spoil({ kind: "unavailable", retryAfterSeconds: 7 });
    const refused = await get();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "7"]);

    spoil({ kind: "cut", afterBytes: 100 });
    await expect(read(get())).rejects.toThrow();

    spoil({ kind: "corrupted", atByte: 10 });
    const corrupted = await read(get());
    expect(corrupted).toHaveLength(whole.length);
    expect([...corrupted].filter((letter, i) => letter !== whole[i])).toHaveLength(1);

    spoil({ kind: "slow", pieceBytes: Math.ceil(whole.length / 3), everyMs: 1 });
    expect(await read(get())).toBe(whole);
    expect(await read(get())).toBe(whole);
  }
});

test("a fault passes others' requests by, and waits for its turn", async () => {
  const cloud = await start();
  const [way] = await ways(cloud);
  cloud.fail("readOpenApi", { kind: "unreachable" }, { after: 1, times: 2 });
  const outcomes = [];
  for (const path of [undefined, "/healthz", undefined, undefined, undefined]) {
    outcomes.push(
      await way?.get(path).then(
        ({ status }) => status,
        () => "lost",
      ),
    );
  }
  expect(outcomes).toEqual([200, 200, "lost", "lost", 200]);
});

test("a cloud that vanishes keeps what it stored, and one that restarts too", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.plantDevice({ owner: "alice" });
  const send = () =>
    cloud.fetch(`${cloud.baseUrl}/api/v1/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"soc":64}',
    });
  expect((await send()).status).toBe(200);
  await cloud.vanish();
  await expect(send()).rejects.toThrow();
  await cloud.comeBack();
  await cloud.restart();
  expect((await send()).status).toBe(200);
  expect(await cloud.records(deviceId)).toEqual([{ soc: 64 }, { soc: 64 }]);
  expect(cloud.seenOf("sendTelemetry").map(({ body }) => body)).toEqual([
    { soc: 64 },
    undefined,
    { soc: 64 },
  ]);
  cloud.expireTokens();
  expect((await send()).status).toBe(401);
  const kinds = (await cloud.auditTrail()).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["device.registered", "device.claimed"]));
});

test("a revoked device is out at once", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.plantDevice();
  const headers = { authorization: `Bearer ${token}` };
  const status = async () =>
    (await cloud.fetch(`${cloud.baseUrl}/api/v1/device/config`, { headers })).status;
  expect(await status()).toBe(200);
  await cloud.revoke(deviceId);
  expect(await status()).toBe(401);
});

test("in real time the clock goes on by itself, and can still be moved", async () => {
  const { clock } = await start({ realTime: true });
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  clock.advance(3_600_000);
  expect(clock.now() - Date.now()).toBeGreaterThan(3_599_000);
});
