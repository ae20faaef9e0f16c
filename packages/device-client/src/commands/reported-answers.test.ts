import { errAsync, okAsync } from "neverthrow";
import { expect, test } from "vitest";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { Device } from "../device/device.js";
import {
  deviceId,
  type Payloads,
  openCommandsWorld as start,
  statuses,
} from "../testing/commands-world.js";
import { createCommands } from "./create-commands.js";

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
