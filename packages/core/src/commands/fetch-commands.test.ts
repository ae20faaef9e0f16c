import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice, sampleOwnership } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { device, operator } from "../api/principal.js";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";
import type { CommandAnswered } from "./command-answered.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const deviceId = "gw-1";
const params = { deviceId };

/** Two processes over one storage: the device's requests reach the first one, all others the second. */
async function openTwo() {
  const state = createMemoryState();
  const secrets = generateSecrets();
  const options = {
    secrets,
    commands: { blink: { payload: z.object({}), sentBy: ["operator"] } },
  } as const;
  const store = createMemoryStore(state);
  const here = await createGateway({ ...options, store });
  const there = await createGateway({ ...options, store: createMemoryStore(state) });
  await registerSampleDevice(store, deviceId, { ...sampleOwnership(), firstUsedAt: 1 });
  const api = here.as(device(deviceId));
  return { here, api, others: there.as(operator({ id: "op" })) };
}
const wait = { query: { wait: "45" } };
const blink = { params, body: { name: "blink" } };

test("§11 a request waits for 45 s, although a response may take 10 s, and leaves no timer behind", async () => {
  const { api } = await openTwo();
  const pending = api.fetchCommands(wait);
  await vi.advanceTimersByTimeAsync(44_999);
  let isAnswered = false;
  pending.then(
    () => {
      isAnswered = true;
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect((await pending)._unsafeUnwrap().body.commands).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("§11 a command that another process stores reaches a request that waits within a second", async () => {
  const { here, api, others } = await openTwo();
  const answered: CommandAnswered[] = [];
  here.on("command.answered", (event) => void answered.push(event));
  const pending = api.fetchCommands(wait);
  await vi.advanceTimersByTimeAsync(5_000);
  const sent = (await others.sendCommand(blink))._unsafeUnwrap().body.command;
  await vi.advanceTimersByTimeAsync(1_000);
  const { commands } = (await pending)._unsafeUnwrap().body;
  expect(commands).toMatchObject([{ commandId: sent.commandId }]);

  const { commandId } = sent;
  const body = { status: "done", result: 5 } as const;
  expect((await api.reportCommand({ params: { commandId }, body })).isOk()).toBe(true);
  expect(answered).toMatchObject([
    { deviceId, commandId, name: "blink", state: "done", answer: { status: "done", result: 5 } },
  ]);
});

test("§11 a revocation by another process ends a request that waits within a second", async () => {
  const { api, others } = await openTwo();
  const pending = api.fetchCommands(wait);
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await others.revokeDevice({ params })).isOk()).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await pending)._unsafeUnwrapErr().code).toBe("unauthorized");
});
