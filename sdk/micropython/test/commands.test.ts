import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { heapLimit, startMicroPython } from "./micro-python.js";

const deviceId = "gw-mp";
const sentBy = ["operator"] as const;
const commands = {
  blink: { payload: z.object({ times: z.int(), pad: z.string().optional() }), sentBy },
  other: { payload: z.object({}), sentBy },
} as const;

interface Outcome {
  readonly ran: readonly string[];
  readonly cut: boolean;
  readonly waiting?: boolean;
  readonly error?: string;
}

async function start() {
  const cloud = await createTestCloud({ realTime: true, gateway: { commands } });
  onTestFinished(() => cloud.close());
  const url = await cloud.listen();
  const python = startMicroPython();
  /** Starts the device. The power fails before that many operations, unless it is 0. */
  const boot = async (polls = 3, operations = 0) =>
    JSON.parse(await python.call("commands", url, polls, operations)) as Outcome;
  expect(await boot()).toEqual({ ran: [], cut: false, waiting: false });
  return {
    ...{ cloud, python, boot },
    wait: () => python.call("wait_for_command", url),
    send: (payload: object = { times: 1 }) => cloud.sendCommand(deviceId, "blink", payload),
    read: (commandId: string) => cloud.readCommand(deviceId, commandId),
  };
}

it("§11 a device in MicroPython runs commands in order and reports the results, in a heap of 160 KB", async () => {
  const { cloud, python, boot, send, read } = await start();
  const large = await send({ times: 3, pad: "x".repeat(4_000) });
  const other = await cloud.sendCommand(deviceId, "other");
  expect(await boot()).toEqual({ ran: [large, other], cut: false, waiting: true });
  expect(await read(large)).toMatchObject({ state: "done", answer: { result: { blinked: 3 } } });
  expect(await read(other)).toMatchObject({
    ...{ state: "failed", answer: { message: "There is no such command." } },
  });
  expect(await boot()).toEqual({ ran: [], cut: false, waiting: false });
  expect(python.largestHeap()).toBeLessThanOrEqual(heapLimit);
});

it("§11 a device in MicroPython waits for a command", async () => {
  const { cloud, wait, send } = await start();
  const waiting = wait();
  await expect.poll(async () => (await cloud.gateway.readLevels()).commandWaiters).toBe(1);
  await send();
  expect(await waiting).toBe("blink");
});

it.each(["fetchCommands", "reportCommand"] as const)(
  "§11 a device in MicroPython runs a command once if responses of %s are lost",
  async (route) => {
    const { cloud, boot, send, read } = await start();
    const id = await send();
    cloud.fail(route, { kind: "lost_answer" }, { times: 5 });
    const first = await boot();
    expect(first.error).toBe("network");
    const second = await boot();
    expect([...first.ran, ...second.ran]).toEqual([id]);
    expect((await read(id)).state).toBe("done");
  },
);

it("§11 a device in MicroPython runs a command at most once, wherever the power fails", async () => {
  const { cloud, boot, send, read } = await start();
  let operations = 0;
  for (let wasCut = true; wasCut; ) {
    operations += 1;
    // So that the limit of requests per minute is not reached.
    cloud.clock.advance(60_000);
    const id = await send();
    const first = await boot(1, operations);
    wasCut = first.cut;
    const second = await boot();
    const runs = [...first.ran, ...second.ran].filter((ran) => ran === id).length;
    const { state } = await read(id);
    expect(runs, `cut before operation ${operations}`).toBeLessThanOrEqual(1);
    expect(["done", "unknown"]).toContain(state);
    if (state === "done") expect(runs).toBe(1);
  }
  expect(operations).toBeGreaterThan(15);
});
