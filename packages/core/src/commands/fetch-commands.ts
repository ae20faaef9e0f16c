import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { DeviceCommands } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { Command } from "./command.js";

export interface CommandQuery {
  /** Seconds. */
  readonly wait: number;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The time limit of the response, which does not count while the request waits. */
interface WaitLimit {
  pause(): void;
  restart(): void;
}

const toAnswer = (
  { clock, configLayers }: GatewayContext,
  device: Device,
  commands: readonly Command[],
): DeviceCommands => {
  const now = clock.now();
  return {
    commands: commands.map(({ commandId, name, payload, expiresAt }) => ({
      commandId,
      name,
      payload: { ...payload },
      expiresInSeconds: Math.max(1, Math.ceil((expiresAt - now) / 1_000)),
    })),
    serverTime: toTimestamp(now),
    configVersion: configLayers.effective(device).configVersion,
  };
};

/**
 * Returns the commands that wait for a device (§11). If there are none, it waits until one is sent or the configuration
 * changes. A device that was revoked or got other tokens meanwhile is `unauthorized`.
 */
export async function fetchCommands(
  context: GatewayContext,
  device: Device,
  { wait, after, limit }: CommandQuery,
  { pause, restart }: WaitLimit,
): Promise<Result<DeviceCommands, Failure<"unauthorized">>> {
  const { store, deviceCache, devicesInTurn, commandWaiters, configLayers, clock } = context;
  const { deviceId, credential } = device;
  const { configVersion } = configLayers.effective(device);
  // Opened before the device is read again, so that no change between the two is missed.
  const ownerId = device.ownership?.ownerId ?? null;
  const waiter = wait > 0 ? commandWaiters.open(deviceId, wait, ownerId) : undefined;
  try {
    for (;;) {
      const current = await deviceCache.find(deviceId);
      const isValid = current?.revokedAt === null && current.credential.epoch === credential.epoch;
      if (!isValid) return err({ code: "unauthorized" });
      const take = () =>
        store.commands.take({ deviceId, after: after ?? null, limit, now: clock.now() });
      const commands = current.commandsWaiting ? await devicesInTurn(deviceId, take) : [];
      const answer = () => ok(toAnswer(context, current, commands));
      const isSame = configLayers.effective(current).configVersion === configVersion;
      if (commands.length > 0 || waiter === undefined || !isSame) return answer();
      pause();
      const isWoken = await waiter.next();
      restart();
      if (!isWoken) return answer();
    }
  } finally {
    waiter?.close();
  }
}
