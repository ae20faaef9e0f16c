import { type Command, type CommandStore, canonicalJson } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeChange, writeEvent } from "../memory-state.js";
import { mayChange } from "./memory-devices.js";

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
      if (device.revokedAt !== null) return { kind: "revoked" };
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
      settle(deviceId, now);
      const stored = ofDevice(deviceId);
      const open = stored.filter(({ dueAt }) => dueAt !== null);
      if (open.length >= maxOpen) {
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
        .map((command): Command => {
          if (command.state !== "pending") return command;
          const dueAt = now + command.answerWithinMs;
          return { ...command, state: "delivered", deliveredAt: now, dueAt };
        });
      for (const command of taken) replace(command);
      setWaiting(state, deviceId, now);
      return taken;
    },

    answer({ deviceId, commandId, answer, now }) {
      if (!settle(deviceId, now)) return { kind: "unknown" };
      const command = find(deviceId, commandId);
      if (command === null || command.deliveredAt === null) {
        setWaiting(state, deviceId, now);
        return { kind: "unknown" };
      }
      const isOpen = command.dueAt !== null;
      const answered: Command = {
        ...command,
        ...(isOpen && { state: answer.status, dueAt: null, endedAt: now }),
        answer,
        answeredAt: now,
      };
      if (command.answer === null) replace(answered);
      setWaiting(state, deviceId, now);
      return command.answer === null
        ? { kind: "answered", command: answered }
        : { kind: "repeated" };
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

/** Sets the device's flag, and writes a change if it differs. */
function setWaiting(state: MemoryState, deviceId: string, now: number): void {
  const device = state.devices.get(deviceId);
  const commandsWaiting = (state.commands.get(deviceId) ?? []).some(
    ({ dueAt, expiresAt }) => dueAt !== null && expiresAt > now,
  );
  if (device === undefined || device.commandsWaiting === commandsWaiting) return;
  state.devices.set(deviceId, { ...device, commandsWaiting });
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
    return { ...command, state: isPending ? undelivered : "unknown", dueAt: null, endedAt: now };
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
