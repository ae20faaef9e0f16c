import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { customer } from "@device-gateway/core";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { errAsync, okAsync } from "neverthrow";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";
import { type BufferStorage, createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { ClientError } from "../client-error.js";
import { createMemoryCredentials } from "../device/credential-store.js";
import { createDevice, type Device } from "../device/device.js";
import { createFileBuffer } from "../node/file-buffer.js";
import { collectGarbage } from "../testing/collect-garbage.js";
import { makeTempFolder } from "../testing/temp-folder.js";
import type { RunCommand } from "./create-commands.js";
import { type CommandsOptions, createCommands } from "./create-commands.js";

const identity = {
  ...{ deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
};
const deviceId = "gw-1";
const sentBy = ["operator"] as const;
const declared = {
  blink: { payload: z.object({ times: z.int().default(1) }), sentBy },
  fail: { payload: z.object({}), sentBy },
  restart: { payload: z.object({}), sentBy, answerWithinSeconds: 60 },
} as const;

interface Payloads {
  blink: { times: number };
  restart: object;
}

async function start() {
  const cloud = await createTestCloud({ gateway: { commands: declared } });
  onTestFinished(() => cloud.close());
  const storage = createMemoryBuffer();
  const credentials = createMemoryCredentials();
  const blinks: number[] = [];
  const connect = () =>
    createDevice({
      ...{ baseUrl: cloud.baseUrl, fetch: cloud.fetch, identity, credentials },
      ...{ clock: cloud.clock, sleep: cloud.sleep, retry: { tries: 2 } },
    });
  const boot = (changes: Partial<CommandsOptions<Payloads>> = {}) =>
    createCommands<Payloads>({
      device: connect(),
      storage,
      sleep: cloud.sleep,
      now: () => cloud.clock.now(),
      handlers: {
        blink: ({ times }) => {
          blinks.push(times);
          return { blinked: times };
        },
        restart() {
          throw new Error("the relay is stuck");
        },
      },
      ...changes,
    });
  // Registers the device, so that commands can be sent to it.
  expect((await boot().poll()).isOk()).toBe(true);
  const statesOf = async (...ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await cloud.readCommand(deviceId, id)).state));
  return { cloud, boot, device: connect(), storage, blinks, statesOf };
}
const statuses = (ran: readonly RunCommand[]) => ran.map(({ answer }) => answer.status);

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

test("§11 a command whose delivery or report is lost runs once, also after a restart", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const id = await cloud.sendCommand(deviceId, "blink");
  cloud.fail("fetchCommands", { kind: "lost_answer" }, { times: 2 });
  expect((await boot().poll())._unsafeUnwrapErr().code).toBe("network");
  expect(await statesOf(id)).toEqual(["delivered"]);
  cloud.fail("reportCommand", { kind: "unreachable" }, { times: 2 });
  expect((await boot().poll())._unsafeUnwrapErr().code).toBe("network");
  expect([blinks, await statesOf(id)]).toEqual([[1], ["delivered"]]);
  cloud.fail("reportCommand", { kind: "lost_answer" }, { times: 1 });
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done"]);
  expect([blinks, await statesOf(id)]).toEqual([[1], ["done"]]);
});

test("§11 a command that is killed before it runs is reported as unknown, and runs never", async () => {
  const cloud = await createTestCloud({ gateway: { commands: declared }, realTime: true });
  onTestFinished(() => cloud.close());
  const url = await cloud.listen();
  const folder = await mkdtemp(join(tmpdir(), "commands-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = await bundleProgram("packages/device-client/src/testing/command-script.ts");
  const run = async (mode = "") => {
    const child = spawn(process.execPath, [program, url, folder, mode], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (piece) => {
      output += String(piece);
    });
    const [, signal] = (await once(child, "close")) as [number | null, string | null];
    return { signal, output };
  };
  expect((await run()).output).toBe("[]");
  const killed = await cloud.sendCommand(deviceId, "blink");
  expect((await run("kill")).signal).toBe("SIGKILL");
  expect((await cloud.readCommand(deviceId, killed)).state).toBe("delivered");

  expect((await run()).output).toBe('["unknown"]');
  expect((await cloud.readCommand(deviceId, killed)).answer?.message).toContain("restarted");
  await cloud.sendCommand(deviceId, "blink");
  expect((await run()).output).toBe('["done"]');
  expect(await readFile(join(folder, "blinks"), "utf8")).toBe("blink\n");
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

test("§11 a result that the server refuses, or that is not JSON, is reported without it", async () => {
  const { cloud, boot } = await start();
  const results: unknown[] = ["x".repeat(5_000), 5n];
  const commands = boot({ handlers: { blink: () => results.shift(), restart: () => {} } });
  for (const reason of [/too large/, /BigInt/]) {
    const id = await cloud.sendCommand(deviceId, "blink");
    expect((await commands.poll()).isOk()).toBe(true);
    const { state, answer } = await cloud.readCommand(deviceId, id);
    expect([state, answer?.result]).toEqual(["done", null]);
    expect(answer?.message).toMatch(reason);
  }
});

test("§11 an answer above the server's body limit does not block later commands, also after a restart", async () => {
  const { cloud, boot } = await start();
  const handlers = { blink: () => "x".repeat(20_000), restart: () => {} };
  const ids = [await cloud.sendCommand(deviceId, "blink")];
  cloud.fail("reportCommand", { kind: "unreachable" }, { times: 2 });
  expect((await boot({ handlers }).poll())._unsafeUnwrapErr().code).toBe("network");
  ids.push(await cloud.sendCommand(deviceId, "blink"));
  expect(statuses((await boot({ handlers }).poll())._unsafeUnwrap())).toEqual(["done", "done"]);
  for (const id of ids) {
    const { state, answer } = await cloud.readCommand(deviceId, id);
    expect([state, answer?.result]).toEqual(["done", null]);
    expect(answer?.message).toMatch(/too large/);
  }
});

test("§11 a report that the server finds malformed is sent again without the result", async () => {
  const reports: unknown[] = [];
  const call = (name: string, request: { body: unknown }) => {
    if (name === "fetchCommands") return okAsync({ commands: [] });
    reports.push(request.body);
    const error = { code: "malformed_json", message: "not JSON", status: 400 };
    return reports.length === 1 ? errAsync(error) : okAsync({ status: "accepted" });
  };
  const storage = createMemoryBuffer();
  await storage.append(["b c1", 'a c1 {"status":"done","result":1}']);
  const commands = createCommands<Payloads>({
    device: { call } as unknown as Device,
    storage,
    handlers: { blink: () => {}, restart: () => {} },
  });
  expect(statuses((await commands.poll())._unsafeUnwrap())).toEqual(["done"]);
  expect(reports).toEqual([
    { status: "done", result: 1 },
    { status: "done", message: expect.stringMatching(/refused the result/) },
  ]);
});

test("§11 a long error of a handler is reported by its first 512 characters", async () => {
  const { cloud, boot } = await start();
  const commands = boot({
    handlers: {
      blink() {
        throw new Error(`the relay is stuck ${"x".repeat(20_000)}`);
      },
      restart: () => {},
    },
  });
  const id = await cloud.sendCommand(deviceId, "blink");
  expect((await commands.poll()).isOk()).toBe(true);
  const { state, answer } = await cloud.readCommand(deviceId, id);
  expect(state).toBe("failed");
  expect(answer?.message).toBe(`the relay is stuck ${"x".repeat(512)}`.slice(0, 512));
});

test("§11 a command that restarts the device is reported before", async () => {
  const { cloud, boot, statesOf } = await start();
  const states: string[] = [];
  const id = await cloud.sendCommand(deviceId, "restart");
  const commands = boot({
    handlers: {
      blink: () => {},
      restart: (_, { afterReport }) =>
        afterReport(async () => void states.push(...(await statesOf(id)))),
    },
  });
  expect((await commands.poll()).isOk()).toBe(true);
  expect(states).toEqual(["done"]);
});

test("§11 an answer to a command that the server deleted, or of an earlier registration, is dropped", async () => {
  const { cloud, boot, blinks, storage } = await start();
  await storage.append(["b of-nobody", 'a of-nobody {"status":"done"}', "b Half"]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual(["done", "unknown"]);
  expect(statuses((await boot().poll())._unsafeUnwrap())).toEqual([]);
  expect([blinks, cloud.requestsTo("reportCommand").length]).toEqual([[], 2]);
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

test("a device whose storage fails runs nothing", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const storage = { ...createMemoryBuffer(), append: () => Promise.reject(new Error("worn out")) };
  const id = await cloud.sendCommand(deviceId, "blink");
  const error = (await boot({ storage }).poll())._unsafeUnwrapErr();
  expect(error).toEqual({ code: "storage", message: "The storage of commands failed: worn out" });
  expect([blinks, await statesOf(id)]).toEqual([[], ["delivered"]]);
});

test("§11 a command whose id was stored incompletely runs once, also if the device dies while it runs", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const path = join(await makeTempFolder(), "commands");
  const file = createFileBuffer(path);
  let isFull = true;
  const storage: BufferStorage = {
    ...file,
    async append(lines) {
      if (!isFull) return file.append(lines);
      isFull = false;
      await appendFile(path, lines.join("\n").slice(0, 5));
      throw new Error("no space left");
    },
  };
  const id = await cloud.sendCommand(deviceId, "blink");
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const commands = boot({
    storage,
    handlers: {
      blink({ times }) {
        blinks.push(times);
        begun();
        // The device dies here.
        return new Promise(() => {});
      },
      restart: () => {},
    },
  });
  expect((await commands.poll())._unsafeUnwrapErr().code).toBe("storage");
  expect(blinks).toEqual([]);
  // A poll that ends without the handler fails the test below.
  void commands.poll().match(begun, begun);
  await hasBegun;
  expect(statuses((await boot({ storage: file }).poll())._unsafeUnwrap())).toEqual(["unknown"]);
  expect([blinks, await statesOf(id)]).toEqual([[1], ["unknown"]]);
});

test("§11 a command whose answer could not be stored is reported as unknown by the next poll", async () => {
  const { cloud, boot, blinks, statesOf } = await start();
  const memory = createMemoryBuffer();
  let faults = 1;
  const storage: BufferStorage = {
    ...memory,
    async append(lines) {
      if (lines[0]?.startsWith("a ") && faults-- > 0) throw new Error("no space left");
      await memory.append(lines);
    },
  };
  const commands = boot({ storage });
  const id = await cloud.sendCommand(deviceId, "blink");
  expect((await commands.poll())._unsafeUnwrapErr().code).toBe("storage");
  const ran = (await commands.poll())._unsafeUnwrap();
  expect(statuses(ran)).toEqual(["unknown"]);
  expect(ran[0]?.answer.message).toContain("storage failed");
  expect([blinks, await statesOf(id)]).toEqual([[1], ["unknown"]]);
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
