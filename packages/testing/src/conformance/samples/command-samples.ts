import type {
  Command,
  CommandAnswer,
  CommandStore,
  GatewayStore,
} from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples.js";

export const deviceId = "gw-1";
export const minute = 60_000;

/** A command that expires after 10 minutes and must be answered within one. */
export function sampleCommand(commandId: string, changes: Partial<Command> = {}): Command {
  const { sentAt = sampleTime } = changes;
  const expiresAt = sentAt + 10 * minute;
  return {
    ...{ commandId, deviceId, name: "reboot", payload: { delay: 5 }, sentBy: "owner", sentAt },
    ...{ key: null, expiresAt, answerWithinMs: minute, state: "pending", deliveredAt: null },
    ...{ dueAt: changes.expiresAt ?? expiresAt, endedAt: null, answer: null, answeredAt: null },
    ...changes,
  };
}

type SendInput = Parameters<CommandStore["send"]>[0];

export function send(
  store: GatewayStore,
  commandId: string,
  changes: Partial<Command> = {},
  bounds: Partial<Pick<SendInput, "ownerId" | "maxOpen" | "keepEnded">> = {},
) {
  const command = sampleCommand(commandId, changes);
  const event = sampleSecurityEvent(command.deviceId, "device.command_sent", { commandId });
  return store.commands.send({
    ...{ command, ownerId: "owner", maxOpen: 20, keepEnded: 100, event },
    ...bounds,
  });
}

export const take = (
  store: GatewayStore,
  now = sampleTime,
  after: string | null = null,
  limit = 10,
) => store.commands.take({ deviceId, after, limit, now });
export const takeIds = async (...input: Parameters<typeof take>) =>
  (await take(...input)).map(({ commandId }) => commandId);
export const done: CommandAnswer = { status: "done", result: { ok: true }, message: null };
export const answer = (store: GatewayStore, commandId: string, now: number, given = done) =>
  store.commands.answer({ deviceId, commandId, answer: given, update: null, now });
export const cancel = (
  store: GatewayStore,
  commandId: string,
  now = sampleTime,
  ownerId: string | null = "owner",
) =>
  store.commands.cancel({
    ...{ deviceId, commandId, ownerId, now },
    event: sampleSecurityEvent(deviceId, "device.command_cancelled", { commandId }),
  });
export const find = (store: GatewayStore, commandId: string) =>
  store.commands.find({ deviceId, commandId });
export const stateOf = async (store: GatewayStore, commandId: string) =>
  (await find(store, commandId))?.state;
export const list = async (
  store: GatewayStore,
  from = 0,
  before: string | null = null,
  limit = 99,
) =>
  (await store.commands.list({ deviceId, from, before, limit })).map(({ commandId }) => commandId);
export const isWaiting = async (store: GatewayStore) =>
  (await store.devices.find(deviceId))?.commandsWaiting;
export const own = (store: GatewayStore) =>
  registerSampleDevice(store, deviceId, sampleOwnership());
