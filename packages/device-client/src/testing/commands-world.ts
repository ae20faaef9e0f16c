import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { createMemoryBuffer } from "../buffer/buffer-storage.js";
import type { Fetch } from "../call-route.js";
import {
  type CommandsOptions,
  createCommands,
  type RunCommand,
} from "../commands/create-commands.js";
import { createMemoryCredentials } from "../device/credential-store.js";
import { createDevice } from "../device/device.js";

/** The device that runs the commands. */
export const deviceId = "gw-1";
/** The identity with which the device registers. */
export const identity = {
  ...{ deviceId, hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
};
const sentBy = ["operator"] as const;
/** The commands that the cloud declares. The device has no handler for `fail`. */
export const declared = {
  blink: { payload: z.object({ times: z.int().default(1) }), sentBy },
  fail: { payload: z.object({}), sentBy },
  restart: { payload: z.object({}), sentBy, answerWithinSeconds: 60 },
} as const;

/** The payloads of the commands that the device handles. */
export interface Payloads {
  blink: { times: number };
  restart: object;
}

/** Opens a cloud with one registered device, which handles `blink` and `restart`. The cloud closes when the test ends. */
export async function openCommandsWorld() {
  const cloud = await createTestCloud({ gateway: { commands: declared } });
  onTestFinished(() => cloud.close());
  const storage = createMemoryBuffer();
  const credentials = createMemoryCredentials();
  const blinks: number[] = [];
  const connect = (fetch: Fetch = cloud.fetch) =>
    createDevice({
      ...{ baseUrl: cloud.baseUrl, fetch, identity, credentials },
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
  return { cloud, connect, boot, device: connect(), storage, blinks, statesOf };
}

/** Returns the status of each answer. */
export const statuses = (ran: readonly RunCommand[]) => ran.map(({ answer }) => answer.status);
