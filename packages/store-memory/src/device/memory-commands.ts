import {
  type Command,
  type CommandStore,
  canonicalJson,
  type UpdateAnswer,
  updateNow,
  waitingRequest,
} from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeChange, writeEvent } from "../memory-state.js";
import { writeOtaEvent } from "../ota/memory-updates.js";
import { mayChange } from "./memory-devices.js";

const isUpdate = ({ name }: Command) => name === updateNow;

export function createMemoryCommands(state: MemoryState): Transitions<CommandStore> {
  const ofDevice = (deviceId: string) => state.commands.get(deviceId) ?? [];
  const indexOf = (deviceId: string, commandId: string) =>
    ofDevice(deviceId).findIndex((command) => command.commandId === commandId);
  const find = (deviceId: string, commandId: string) =>
    ofDevice(deviceId)[indexOf(deviceId, commandId)] ?? null;

  function replace(changed: Command): void {
    const { deviceId, commandId } = changed;
    const all = ofDevice(deviceId);
    state.commands.set(
      deviceId,
      all.map((command) => (command.commandId === commandId ? changed : command)),
    );
  }

  /** Ends what is due. Returns false if the device does not exist. */
  function settle(deviceId: string, now: number): boolean {
    const due = ({ dueAt }: Command) => dueAt !== null && dueAt <= now;
    endCommands(state, deviceId, now, due, "expired");
    return state.devices.has(deviceId);
  }

  return {
    send({ command, ownerId, maxOpen, keepEnded, event }) {
      const { deviceId, sentAt: now, sentBy, key } = command;
      const device = state.devices.get(deviceId);
      if (device === undefined || !mayChange(device, ownerId)) return { kind: "unknown" };
      const isRequest = isUpdate(command);
      const earlier =
        key === null
          ? undefined
          : ofDevice(deviceId).find((one) => one.key === key && one.sentBy === sentBy);
      if (earlier !== undefined) {
        const isSame =
          earlier.name === command.name &&
          canonicalJson(earlier.payload) === canonicalJson(command.payload);
        return isSame ? { kind: "repeated", command: earlier } : { kind: "key_reused" };
      }
      if (device.revokedAt !== null && !isRequest) return { kind: "revoked" };
      settle(deviceId, now);
      const waiting = isRequest ? replaceRequest(state, command) : null;
      if (waiting !== null) return { kind: "repeated", command: waiting };
      const stored = ofDevice(deviceId);
      const open = stored.filter(({ dueAt }) => dueAt !== null);
      if (!isRequest && open.filter((one) => !isUpdate(one)).length >= maxOpen) {
        setWaiting(state, deviceId, now);
        return { kind: "full" };
      }
      const surplus = stored
        .filter(({ dueAt }) => dueAt === null)
        .slice(0, Math.max(0, stored.length - open.length - keepEnded));
      state.commands.set(deviceId, [...stored.filter((one) => !surplus.includes(one)), command]);
      setWaiting(state, deviceId, now);
      writeChange(state, deviceId, now);
      writeEvent(state, event);
      return { kind: "sent" };
    },

    take({ deviceId, after, limit, now }) {
      if (state.devices.get(deviceId)?.commandsWaiting !== true) return [];
      settle(deviceId, now);
      const place = after === null ? -1 : indexOf(deviceId, after);
      const taken = ofDevice(deviceId)
        .slice(place + 1)
        .filter(({ dueAt, expiresAt }) => dueAt !== null && expiresAt > now)
        .slice(0, limit)
        .map((command) => deliver(command, now));
      for (const command of taken) replace(command);
      setWaiting(state, deviceId, now);
      return taken;
    },

    answer({ deviceId, commandId, answer, update, now }) {
      if (!settle(deviceId, now)) return { kind: "unknown" };
      if (update !== null) writeUpdateAnswer(state, deviceId, commandId, update);
      const found = find(deviceId, commandId);
      const isOfKind = found !== null && isUpdate(found) === (update !== null);
      const command = isOfKind && update !== null ? deliver(found, now) : found;
      if (!isOfKind || command === null || command.deliveredAt === null) {
        setWaiting(state, deviceId, now);
        return { kind: "unknown" };
      }
      const isNew = answer !== null && command.answer === null;
      const isOpen = command.dueAt !== null;
      const answered: Command = {
        ...command,
        ...(isNew && isOpen && { state: answer.status, dueAt: null, endedAt: now }),
        ...(isNew && { answer, answeredAt: now }),
      };
      replace(answered);
      setWaiting(state, deviceId, now);
      return isNew ? { kind: "answered", command: answered } : { kind: "repeated" };
    },

    cancel({ deviceId, commandId, ownerId, now, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined || !mayChange(device, ownerId)) return { kind: "unknown" };
      settle(deviceId, now);
      const command = find(deviceId, commandId);
      if (command?.state !== "pending") {
        setWaiting(state, deviceId, now);
        return { kind: command === null ? "unknown" : "not_pending" };
      }
      const cancelled = { ...command, state: "cancelled", dueAt: null, endedAt: now } as const;
      replace(cancelled);
      setWaiting(state, deviceId, now);
      writeEvent(state, event);
      return { kind: "cancelled", command: cancelled };
    },

    find: ({ deviceId, commandId }) => find(deviceId, commandId),

    list({ deviceId, from, before, limit }) {
      const all = ofDevice(deviceId);
      const end = before === null ? all.length : Math.max(0, indexOf(deviceId, before));
      return all
        .slice(0, end)
        .filter(({ sentAt }) => sentAt >= from)
        .toReversed()
        .slice(0, limit);
    },

    endDue({ now, limit }) {
      const due = [...state.commands]
        .filter(([, all]) => all.some(({ dueAt }) => dueAt !== null && dueAt <= now))
        .slice(0, limit);
      for (const [deviceId] of due) {
        settle(deviceId, now);
        setWaiting(state, deviceId, now);
      }
      return due.length;
    },

    prune({ endedBefore, limit }) {
      const old = [...state.commands.values()]
        .flat()
        .filter(({ endedAt }) => endedAt !== null && endedAt < endedBefore)
        .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
        .slice(0, limit);
      for (const { deviceId, commandId } of old) {
        const kept = ofDevice(deviceId).filter((command) => command.commandId !== commandId);
        if (kept.length === 0) state.commands.delete(deviceId);
        else state.commands.set(deviceId, kept);
      }
      return old.length;
    },
  };
}

function deliver(command: Command, now: number): Command {
  if (command.state !== "pending") return command;
  return {
    ...command,
    ...{ state: "delivered", deliveredAt: now, dueAt: now + command.answerWithinMs },
  };
}

/**
 * Returns the command of the "update now" request that waits. If there is none, it ends the open one, makes the command
 * the device's request, and returns null.
 */
function replaceRequest(state: MemoryState, { deviceId, commandId, sentAt }: Command) {
  setWaiting(state, deviceId, sentAt);
  const device = state.devices.get(deviceId);
  if (device === undefined) return null;
  const waiting = waitingRequest(device.ota);
  const stored = state.commands.get(deviceId) ?? [];
  if (waiting !== null) {
    return stored.find((command) => command.commandId === waiting.requestId) ?? null;
  }
  endCommands(state, deviceId, sentAt, isUpdate, "cancelled");
  const request = { requestId: commandId, requestedAt: sentAt };
  const command = { ...request, status: null, message: null, answeredAt: null };
  state.devices.set(deviceId, { ...device, ota: { ...device.ota, command } });
  return null;
}

/** Replaces the answer of the device's "update now" request, if it is this one. */
function writeUpdateAnswer(
  state: MemoryState,
  deviceId: string,
  commandId: string,
  { status, message, event }: UpdateAnswer,
): void {
  const device = state.devices.get(deviceId);
  const request = device?.ota.command;
  if (device === undefined || request?.requestId !== commandId) return;
  if (request.status === status && request.message === message) return;
  const command = { ...request, status, message, answeredAt: event.createdAt };
  state.devices.set(deviceId, { ...device, ota: { ...device.ota, command } });
  writeOtaEvent(state, event);
  writeChange(state, deviceId, event.createdAt);
}

/** Sets the device's flags, and writes a change if they differ. */
function setWaiting(state: MemoryState, deviceId: string, now: number): void {
  const device = state.devices.get(deviceId);
  const open = (state.commands.get(deviceId) ?? []).filter(({ dueAt }) => dueAt !== null);
  const commandsWaiting = open.some(({ expiresAt }) => expiresAt > now);
  const isCommandOpen = open.some(isUpdate);
  if (device === undefined) return;
  const { ota } = device;
  if (device.commandsWaiting === commandsWaiting && ota.isCommandOpen === isCommandOpen) return;
  state.devices.set(deviceId, { ...device, commandsWaiting, ota: { ...ota, isCommandOpen } });
  writeChange(state, deviceId, now);
}

/**
 * Ends open commands of a device. The state of pending ones is `undelivered`, that of delivered ones `unknown`. Returns
 * whether there were any.
 */
function endCommands(
  state: MemoryState,
  deviceId: string,
  now: number,
  which: (command: Command) => boolean,
  undelivered: "expired" | "cancelled",
): boolean {
  const all = state.commands.get(deviceId) ?? [];
  const isToEnd = (command: Command) => command.dueAt !== null && which(command);
  if (!all.some(isToEnd)) return false;
  const ended = all.map((command): Command => {
    if (!isToEnd(command)) return command;
    const isPending = command.state === "pending";
    const endedAt = Math.min(command.dueAt ?? now, now);
    return { ...command, state: isPending ? undelivered : "unknown", dueAt: null, endedAt };
  });
  state.commands.set(deviceId, ended);
  return true;
}

/** Ends the open commands of a device that was claimed, released or revoked, or the delivered ones of one that registered again. */
export function endOpenCommands(
  state: MemoryState,
  deviceId: string,
  now: number,
  isToEnd: (command: Command) => boolean = () => true,
): void {
  if (endCommands(state, deviceId, now, isToEnd, "cancelled")) setWaiting(state, deviceId, now);
}
