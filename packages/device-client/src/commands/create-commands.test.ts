import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { customer } from "@device-gateway/core";
import { errAsync } from "neverthrow";
import { expect, test } from "vitest";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { ClientError } from "../client-error.js";
import type { Device } from "../device/device.js";
import { collectGarbage } from "../testing/collect-garbage.js";
import {
  deviceId,
  identity,
  type Payloads,
  openCommandsWorld as start,
  statuses,
} from "../testing/commands-world.js";
import { createCommands } from "./create-commands.js";

test("§11 a device runs commands in order and reports what they returned, or why they failed", async () => {
  const { cloud, boot, blinks } = await start();
  const commands = boot();
  const ids = [
    await cloud.sendCommand(deviceId, "blink", { times: 3 }),
    await cloud.sendCommand(deviceId, "restart"),
    await cloud.sendCommand(deviceId, "fail"),
    await cloud.sendCommand(deviceId, "blink"),
  ];
  const ran = (await commands.poll())._unsafeUnwrap();
  expect(ran.map(({ commandId }) => commandId)).toEqual(ids);
  expect(blinks).toEqual([3, 1]);
  const answers = await Promise.all(
    ids.map(async (id) => (await cloud.readCommand(deviceId, id)).answer),
  );
  expect(answers).toEqual([
    { status: "done", result: { blinked: 3 }, message: null },
    { status: "failed", result: null, message: "the relay is stuck" },
    { status: "failed", result: null, message: 'This device has no command "fail".' },
    { status: "done", result: { blinked: 1 }, message: null },
  ]);
  expect((await commands.poll())._unsafeUnwrap()).toEqual([]);
});

test("§11 a command that the device cannot begin in time is not run", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  let clock = 0;
  // The first command takes two hours.
  const commands = boot({
    now: () => clock,
    handlers: {
      blink({ times }) {
        blinks.push(times);
        clock += 7_200_000;
      },
      restart: () => {},
    },
  });
  const ids = [
    await cloud.sendCommand(deviceId, "blink"),
    await cloud.sendCommand(deviceId, "blink", { times: 2 }),
  ];
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done", "failed"]);
  expect([blinks, await statesOf(...ids)]).toEqual([[1], ["done", "failed"]]);
});

test("§5 §11 the configuration has the hint only while a command waits", async () => {
  const { cloud, boot, device } = await start();
  const hint = async () => (await device.readConfig())._unsafeUnwrap().commandsWaiting;
  expect(await hint()).toBeUndefined();
  await cloud.sendCommand(deviceId, "blink");
  expect([await hint(), await hint()]).toEqual([true, true]);
  expect((await boot().poll()).isOk()).toBe(true);
  // The cloud caches a device for less than a second.
  cloud.clock.advance(1_000);
  expect([await hint(), await hint()]).toEqual([undefined, undefined]);
  const statuses = cloud.requestsTo("readConfig").map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 304, 304]);
});

test("§11 a device that waits runs each command at once, until its signal aborts", async () => {
  const { cloud, boot, blinks } = await start();
  const stop = new AbortController();
  const running = boot().run({ signal: stop.signal });
  const untilWaiting = () =>
    expect.poll(async () => (await cloud.gateway.readLevels()).commandWaiters).toBe(1);
  for (const times of [1, 2]) {
    await untilWaiting();
    await cloud.sendCommand(deviceId, "blink", { times });
    await expect.poll(() => blinks.length).toBe(times);
  }
  await untilWaiting();
  stop.abort();
  await running;
  await cloud.sendCommand(deviceId, "blink");
  expect(await boot().poll()).toMatchObject({ value: [{ name: "blink" }] });
  expect(blinks).toEqual([1, 2, 1]);
});

test("after the signal aborts, the command that runs is finished, and no other begins", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const ids = [
    await cloud.sendCommand(deviceId, "blink"),
    await cloud.sendCommand(deviceId, "blink", { times: 2 }),
  ];
  const stop = new AbortController();
  const commands = boot({
    handlers: {
      async blink({ times }) {
        stop.abort();
        // The handler goes on for some turns of the event loop.
        for (let turn = 0; turn < 10; turn++) await setImmediate();
        blinks.push(times);
      },
      restart: () => {},
    },
  });
  await commands.run({ signal: stop.signal });
  await expect.poll(() => statesOf(...ids)).toEqual(["done", "delivered"]);
  expect(blinks).toEqual([1]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done"]);
  expect(blinks).toEqual([1, 2]);
});

test("a callback after a report may wait until the device has stopped", async () => {
  const { cloud, boot } = await start();
  await cloud.sendCommand(deviceId, "restart");
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let restart = () => {};
  const restarted = new Promise<void>((resolve) => {
    restart = resolve;
  });
  const commands = boot({
    handlers: {
      blink: () => {},
      restart: (_, { afterReport }) =>
        afterReport(async () => {
          stop.abort();
          await running;
          restart();
        }),
    },
  });
  running = commands.run({ signal: stop.signal });
  await restarted;
});

test("§11 a device that waits tries again later after an error, and does not ask without a pause", async () => {
  const { cloud, boot } = await start();
  const stop = new AbortController();
  const pauses: number[] = [];
  const errors: string[] = [];
  // The server is about to stop: it answers at once.
  cloud.gateway.endLiveStreams();
  cloud.fail("fetchCommands", { kind: "unreachable" }, { times: 2, after: 1 });
  await boot({
    async sleep(ms) {
      pauses.push(ms);
      if (pauses.length === 2) stop.abort();
    },
  }).run({ signal: stop.signal, onError: ({ code }) => errors.push(code) });
  expect(errors).toEqual(["network"]);
  expect(pauses).toEqual([5_000, 30_000]);
});

test("if the fetch is refused, the device waits 30 seconds, and sends a waiting report once per round", async () => {
  const { cloud, connect, boot, storage } = await start();
  await storage.append(["b c1", 'a c1 {"status":"done","result":1}']);
  const reports: unknown[] = [];
  const device = connect(async (url, init) => {
    if (!url.includes("/device/commands")) return cloud.fetch(url, init);
    if (url.endsWith("/result")) reports.push(JSON.parse(String(init.body)));
    return new Response("<h1>Forbidden</h1>", { status: 403 });
  });
  const stop = new AbortController();
  const pauses: number[] = [];
  const commands = boot({
    device,
    async sleep(ms) {
      pauses.push(ms);
      if (pauses.length === 3) stop.abort();
    },
  });
  await commands.run({ signal: stop.signal });
  expect(pauses).toEqual([30_000, 30_000, 30_000]);
  expect(reports).toEqual(Array(3).fill({ status: "done", result: 1 }));
});

test("if only a report is refused, the device fetches commands again after five seconds", async () => {
  const { cloud, connect, boot } = await start();
  const device = connect(async (url, init) =>
    url.endsWith("/result")
      ? new Response("<h1>Forbidden</h1>", { status: 403 })
      : cloud.fetch(url, init),
  );
  await cloud.sendCommand(deviceId, "blink");
  const stop = new AbortController();
  const pauses: number[] = [];
  const statusesOfErrors: unknown[] = [];
  const commands = boot({
    device,
    async sleep(ms) {
      pauses.push(ms);
      stop.abort();
    },
  });
  await commands.run({
    signal: stop.signal,
    onError: ({ status }) => statusesOfErrors.push(status),
  });
  expect([pauses, statusesOfErrors]).toEqual([[5_000], [403]]);
});

test("§11 a device that waits does not ask again before Retry-After, but at least once per hour", async () => {
  const stop = new AbortController();
  const pauses: number[] = [];
  const retryAfter = [90, 7_200, 10, undefined];
  const call = () =>
    errAsync({
      ...{ code: "too_many_requests", message: "Too many requests.", status: 429 },
      retryAfterSeconds: retryAfter[pauses.length],
    });
  await createCommands<Payloads>({
    device: { call } as unknown as Device,
    storage: createMemoryBuffer(),
    handlers: { blink: () => {}, restart: () => {} },
    async sleep(ms) {
      pauses.push(ms);
      if (pauses.length === retryAfter.length) stop.abort();
    },
  }).run({ signal: stop.signal });
  expect(pauses).toEqual([90_000, 3_600_000, 30_000, 30_000]);
});

test("§11 an update-now runs the program's check, and restarts the device after the report", async () => {
  const { cloud, boot, statesOf } = await start();
  const owner = cloud.gateway.as(customer({ id: "alice", emailVerified: true }));
  const body = { deviceId, claimCode: identity.claimCode };
  expect((await owner.claimDevice({ body })).isOk()).toBe(true);
  const asked = (await owner.commandUpdate({ params: { deviceId } }))._unsafeUnwrap();
  const id = asked.body.requestId;
  expect((await boot().poll())._unsafeUnwrap(), "without a handler, it is left").toEqual([]);
  expect(await statesOf(id)).toEqual(["delivered"]);
  const steps: string[] = [];
  const commands = boot({
    handlers: {
      blink: () => {},
      restart: () => {},
      "update-now": (_, { afterReport }) => {
        afterReport(async () => void steps.push(...(await statesOf(id)), "restarts"));
      },
    },
  });
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  expect(steps).toEqual(["done", "restarts"]);
});

test("a device that polls for weeks keeps nothing of its earlier polls in memory", async () => {
  const stop = new AbortController();
  const polls = 50;
  const seen: WeakRef<ClientError>[] = [];
  const call = () => errAsync({ code: "network", message: "no response" });
  const running = createCommands<Payloads>({
    device: { call } as unknown as Device,
    storage: createMemoryBuffer(),
    handlers: { blink: () => {}, restart: () => {} },
    async sleep() {
      if (seen.length === polls) await once(stop.signal, "abort");
    },
  }).run({ signal: stop.signal, onError: (error) => seen.push(new WeakRef(error)) });
  await expect.poll(() => seen.length).toBe(polls);
  await collectGarbage();
  // The last one is still on the stack.
  expect(seen.filter((error) => error.deref() !== undefined).length).toBeLessThanOrEqual(1);
  stop.abort();
  await running;
});
