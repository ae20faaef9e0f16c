import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway, type Gateway } from "../gateway.js";
import { createPendingLogins } from "./pending-logins.js";

/** Creates a gateway with registered devices that log in from one address. */
async function createSite(count: number, authPerMinute: number) {
  const store = createMemoryStore();
  const gateway = await createGateway({
    store,
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    limits: { authPerMinute },
    clock: { now: () => 1_700_000_000_000 },
  });
  const call = (path: string, value: object, clientAddress: string) =>
    gateway.handle({
      method: "POST",
      path: `/api/v1/device/${path}`,
      query: "",
      clientAddress,
      header: () => undefined,
      json: async () => ({ kind: "value", value }),
      stream: () => {
        throw new Error("not a stream");
      },
    } satisfies Parameters<Gateway["handle"]>[0]);
  const devices = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const deviceId = `gw-${n}`;
      const firmware = { hardwareId: "esp32", firmwareVersion: "1.0.0" };
      const value = { deviceId, ...firmware, claimCode: "ABCD-EFGH" };
      const { body } = await call("register", value, `192.0.2.${n}`);
      const { deviceSecret } = JSON.parse(body as string) as { deviceSecret: string };
      return { deviceId, deviceSecret };
    }),
  );
  const login = (value: object) => call("login", value, "198.51.100.1");
  return { store, devices, login };
}

test("§9 a site can log in at once even if it has more devices than its address may have failures", async () => {
  const { devices, login } = await createSite(20, 5);
  const answers = await Promise.all(devices.map(login));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test("§9 concurrent logins with wrong secrets get only as many checks as the bucket of their address has tokens", async () => {
  const { devices, login } = await createSite(20, 5);
  const wrong = devices.map(({ deviceId }) => ({ deviceId, deviceSecret: "x".repeat(43) }));
  const answers = await Promise.all([...devices.slice(0, 3), ...wrong].map(login));
  const count = (of: number) => answers.filter(({ status }) => status === of).length;
  expect([count(200), count(401), count(429)]).toEqual([3, 5, 15]);
});

test("§9 each turn of the event loop starts at most 16 logins, so that a returning fleet leaves turns to other requests", async () => {
  const { store, devices, login } = await createSite(24, 100);
  // The first use of a secret reads the device twice.
  await Promise.all(devices.map(login));
  const find = vi.spyOn(store.devices, "find");
  const answers = Promise.all(devices.map(login));
  const started: number[] = [];
  while (find.mock.calls.length < devices.length) {
    const before = find.mock.calls.length;
    await new Promise<void>((resolve) => setImmediate(resolve));
    started.push(find.mock.calls.length - before);
  }
  expect(Math.max(...started)).toBe(16);
  expect((await answers).map(({ status }) => status)).toEqual(devices.map(() => 200));
});

test("a login waits while another is pending, at most for the given time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { begin, wait } = createPendingLogins();
  expect(await wait("a", 5_000)).toBe(false);
  const [first, second] = [begin("a"), begin("a")];
  const waits = [wait("a", 5_000), wait("a", 5_000), wait("a", 5_000)];
  first();
  expect(await waits[0]).toBe(true);
  second();
  expect(await Promise.all(waits)).toEqual([true, true, true]);
  begin("a");
  const late = wait("a", 5_000);
  vi.advanceTimersByTime(5_000);
  expect(await late).toBe(false);
});

test("§9 a login waits for five seconds in all, however many logins of its address fail meanwhile", async () => {
  const { store, devices, login } = await createSite(4, 3);
  const wrong = devices.map(({ deviceId }) => ({ deviceId, deviceSecret: "x".repeat(43) }));
  const held: (() => void)[] = [];
  const { find } = store.devices;
  vi.spyOn(store.devices, "find").mockImplementation(async (deviceId) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return find(deviceId);
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const checked = wrong.slice(0, 3).map(login);
  const statuses: number[] = [];
  const waits = login(wrong[3] ?? {}).then(({ status }) => void statuses.push(status));
  // Not by polling, which would advance the time.
  while (held.length < 3) await new Promise<void>((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(4_000);
  held[0]?.();
  await vi.advanceTimersByTimeAsync(900);
  expect(statuses).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  await waits;
  expect(statuses).toEqual([429]);
  for (const release of held) release();
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(checked);
});
