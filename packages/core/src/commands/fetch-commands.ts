import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { DeviceCommands } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { findCurrentDevice } from "../device/find-current-device.js";
import type { Failure } from "../shared/failure.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { Command } from "./command.js";

export interface CommandQuery {
  /** Seconds. */
  readonly wait: number;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The time limit of the response, which does not count while the request waits for a command. */
interface WaitLimit {
  pause(): void;
  restart(): void;
  /** @throws {UnwantedWorkError} if the time is over. */
  check(): void;
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
  deadline: WaitLimit,
): Promise<Result<DeviceCommands, Failure<"unauthorized">>> {
  const { store, devicesInTurn, commandWaiters, configLayers, clock } = context;
  const { deviceId } = device;
  const { configVersion } = configLayers.effective(device);
  // Opened before the device is read again, so that no change between the two is missed.
  const ownerId = device.ownership?.ownerId ?? null;
  const waiter = wait > 0 ? commandWaiters.open(deviceId, wait, ownerId) : undefined;
  try {
    for (;;) {
      const current = await findCurrentDevice(context, device);
      if (current === null) return err({ code: "unauthorized" });
      const take = async (hasWaited: boolean) => {
        deadline.check();
        if (hasWaited && (await findCurrentDevice(context, device)) === null) return null;
        return store.commands.take({ deviceId, after: after ?? null, limit, now: clock.now() });
      };
      const commands = current.commandsWaiting ? await devicesInTurn(deviceId, take) : [];
      if (commands === null) return err({ code: "unauthorized" });
      const answer = () => ok(toAnswer(context, current, commands));
      const isSame = configLayers.effective(current).configVersion === configVersion;
      if (commands.length > 0 || waiter === undefined || !isSame) return answer();
      deadline.pause();
      const isWoken = await waiter.next();
      deadline.restart();
      if (!isWoken) return answer();
    }
  } finally {
    waiter?.close();
  }
}
