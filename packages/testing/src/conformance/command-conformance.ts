import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "./samples/awkward-values.js";
import {
  cancel,
  deviceId,
  find,
  list,
  minute,
  own,
  sampleCommand,
  send,
  stateOf,
} from "./samples/command-samples.js";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const sending: readonly StoreCase[] = [
  toCase(
    "commands: are read back as sent, the device waits for them, and it is in the change feed",
    async ([a, b]) => {
      const device = await own(a);
      const { cursor } = await b.changes.since(null);
      const payload = awkwardJson;
      expect(await send(a, "one", { payload, sentBy: awkwardText, key: "k" })).toEqual({
        kind: "sent",
      });
      const sent = sampleCommand("one", { payload, sentBy: awkwardText, key: "k" });
      expect(canonicalJson(await find(b, "one"))).toBe(canonicalJson(sent));
      expect(await b.devices.find(deviceId)).toEqual({ ...device, commandsWaiting: true });
      const changes = await b.changes.since(cursor);
      expect(changes).toMatchObject({ deviceIds: [deviceId] });
      // A request that waits must learn of a further command too.
      await send(b, "two");
      expect(await a.changes.since(changes.cursor)).toMatchObject({ deviceIds: [deviceId] });
      expect(await readLaterEvents(a, deviceId)).toEqual([
        { kind: "device.command_sent", details: { commandId: "one" } },
        { kind: "device.command_sent", details: { commandId: "two" } },
      ]);
      expect(await find(a, "three")).toBeNull();
    },
  ),

  toCase(
    "commands: are sent by the owner or an operator, not to revoked devices",
    async ([a, b]) => {
      expect(await send(a, "one", {}, { ownerId: null })).toEqual({ kind: "unknown" });
      await own(a);
      expect(await send(b, "one", {}, { ownerId: "stranger" })).toEqual({ kind: "unknown" });
      expect(await send(b, "one", { key: "k" }, { ownerId: null })).toEqual({ kind: "sent" });
      const event = sampleSecurityEvent(deviceId, "device.revoked");
      await a.devices.revoke({ deviceId, now: sampleTime, event });
      expect(await send(b, "two")).toEqual({ kind: "revoked" });
      const repeated = await send(b, "two", { key: "k" }, { ownerId: null });
      expect(repeated, "the response to a command that was sent before").toMatchObject({
        ...{ kind: "repeated", command: { commandId: "one" } },
      });
      expect(await list(a)).toEqual(["one"]);
    },
  ),

  toCase("commands: a key sends a command once, for each user and device", async ([a, b]) => {
    await own(a);
    await registerSampleDevice(a, "gw-2", sampleOwnership());
    await send(a, "one", { key: "k" });
    const repeated = { kind: "repeated", command: sampleCommand("one", { key: "k" }) };
    expect(await send(b, "two", { key: "k", sentAt: sampleTime + 5 })).toEqual(repeated);
    expect(await send(b, "two", { key: "k", payload: {} })).toEqual({ kind: "key_reused" });
    expect(await send(b, "two", { key: "k", name: "other" })).toEqual({ kind: "key_reused" });
    expect(await send(b, "two", { key: "k", sentBy: "operator" })).toEqual({ kind: "sent" });
    expect(await send(b, "one", { key: "k", deviceId: "gw-2" })).toEqual({ kind: "sent" });
    expect(await list(a)).toEqual(["two", "one"]);
    expect(await readLaterEvents(a, deviceId)).toHaveLength(2);
  }),

  toCase("commands: open ones are limited, and the oldest ended ones deleted", async ([a, b]) => {
    await own(a);
    const bounds = { maxOpen: 2, keepEnded: 2 };
    for (const id of ["one", "two"]) await send(a, id, {}, bounds);
    expect(await send(b, "three", {}, bounds)).toEqual({ kind: "full" });
    await cancel(a, "one");
    expect(await send(b, "three", {}, bounds)).toEqual({ kind: "sent" });
    // Both are due by then.
    const later = { sentAt: sampleTime + 10 * minute };
    expect(await send(b, "four", later, bounds)).toEqual({ kind: "sent" });
    expect(await list(a)).toEqual(["four", "three", "two"]);
    expect(await stateOf(a, "two")).toBe("expired");
  }),

  toRace("commands: racing senders do not exceed the limit", async (handles) => {
    await own(handles[0]);
    const outcomes = await race(handles, 16, (store, n) =>
      send(store, `command-${n}`, {}, { maxOpen: 3 }),
    );
    expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(3);
    expect(await list(handles[1])).toHaveLength(3);
    expect(await readLaterEvents(handles[1], deviceId)).toHaveLength(3);
  }),

  toRace("commands: racing senders with one key send one command", async (handles) => {
    await own(handles[0]);
    const outcomes = await race(handles, 16, (store, n) =>
      send(store, `command-${n}`, { key: "k" }),
    );
    expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "repeated")).toHaveLength(15);
    expect(await list(handles[0])).toHaveLength(1);
  }),
];

const keeping: readonly StoreCase[] = [
  toCase("commands: are listed in pages, the last sent first", async ([a, b]) => {
    await own(a);
    for (const [n, id] of ["c", "a", "b"].entries()) await send(a, id, { sentAt: sampleTime + n });
    await registerSampleDevice(a, "gw-2", sampleOwnership());
    await send(a, "z", { deviceId: "gw-2" });
    expect(await list(b)).toEqual(["b", "a", "c"]);
    expect(await list(b, 0, null, 2)).toEqual(["b", "a"]);
    expect(await list(b, 0, "a")).toEqual(["c"]);
    expect(await list(b, sampleTime + 1)).toEqual(["b", "a"]);
    expect(await list(b, 0, "z"), "a command of another device").toEqual([]);
    expect(await find(b, "z")).toBeNull();
  }),

  toCase("commands: those that ended before a time are deleted, oldest first", async ([a, b]) => {
    await own(a);
    for (const [n, id] of ["one", "two", "three", "open"].entries()) {
      await send(a, id);
      if (id !== "open") await cancel(a, id, sampleTime + n);
    }
    const prune = (endedBefore: number, limit: number) => b.commands.prune({ endedBefore, limit });
    expect(await prune(sampleTime, 9)).toBe(0);
    expect(await prune(sampleTime + 2, 1)).toBe(1);
    expect(await list(a)).toEqual(["open", "three", "two"]);
    expect(await prune(sampleTime + 2, 9)).toBe(1);
    expect(await prune(sampleTime + 60 * minute, 9)).toBe(1);
    expect(await list(a)).toEqual(["open"]);
  }),

  toCase("commands: the due ones of a few devices end at a time", async ([a, b]) => {
    const ids = ["gw-1", "gw-2", "gw-3"];
    for (const id of ids) {
      await registerSampleDevice(a, id, sampleOwnership());
      for (const commandId of ["one", "two"]) await send(a, commandId, { deviceId: id });
    }
    const { cursor } = await a.changes.since(null);
    const now = sampleTime + 10 * minute;
    expect(await b.commands.endDue({ now, limit: 2 })).toBe(2);
    expect(await b.commands.endDue({ now, limit: 2 })).toBe(1);
    expect(await b.commands.endDue({ now, limit: 2 })).toBe(0);
    for (const id of ids) {
      expect((await a.devices.find(id))?.commandsWaiting).toBe(false);
      for (const command of await a.commands.list({
        ...{ deviceId: id, from: 0, before: null, limit: 9 },
      })) {
        const { expiresAt: endedAt } = command;
        expect(command).toMatchObject({ state: "expired", endedAt, dueAt: null });
      }
    }
    const changes = await a.changes.since(cursor);
    expect(changes.kind === "changes" && [...changes.deviceIds].sort()).toEqual(ids);
  }),
];

/** Cases for `CommandStore`: sending and keeping commands. */
export const commandCases: readonly StoreCase[] = [...sending, ...keeping];
