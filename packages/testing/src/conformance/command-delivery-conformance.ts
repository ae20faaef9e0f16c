import type { CommandAnswer } from "@device-gateway/core/store";
import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "./awkward-values.js";
import {
  answer,
  cancel,
  deviceId,
  done,
  find,
  isWaiting,
  list,
  minute,
  own,
  sampleCommand,
  send,
  stateOf,
  take,
  takeIds,
} from "./command-samples.js";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples.js";
import { race, type StoreCase, toCase, toRace } from "./store-case.js";

const delivering: readonly StoreCase[] = [
  toCase("commands: are taken in the order in which they were sent, and again", async ([a, b]) => {
    await own(a);
    expect(await take(a)).toEqual([]);
    for (const id of ["b", "a", "c"]) await send(a, id);
    const now = sampleTime + 5;
    const [first, ...rest] = await take(b, now, null, 2);
    expect(rest.map(({ commandId }) => commandId)).toEqual(["a"]);
    const delivered = { state: "delivered", deliveredAt: now, dueAt: now + minute } as const;
    expect(first).toEqual(sampleCommand("b", delivered));
    expect(await find(a, "b")).toEqual(first);
    expect(await stateOf(a, "c")).toBe("pending");
    // The response may have been lost.
    expect(await takeIds(a, now + 1)).toEqual(["b", "a", "c"]);
    expect((await find(b, "b"))?.deliveredAt).toBe(now);
    expect(await takeIds(b, now + 1, "a")).toEqual(["c"]);
    expect(await takeIds(b, now + 1, "c")).toEqual([]);
    expect(await takeIds(b, now + 1, "deleted")).toEqual(["b", "a", "c"]);
    expect(await isWaiting(a), "until they are answered").toBe(true);
  }),

  toCase("commands: an answer ends a delivered one, and only the first counts", async ([a, b]) => {
    await own(a);
    for (const id of ["one", "two"]) await send(a, id);
    expect(await answer(a, "one", sampleTime)).toEqual({ kind: "unknown" });
    expect(await answer(a, "none", sampleTime)).toEqual({ kind: "unknown" });
    await take(a);
    const now = sampleTime + 5;
    const failed: CommandAnswer = { status: "failed", result: awkwardJson, message: awkwardText };
    const outcome = await answer(b, "one", now, failed);
    const command = await find(a, "one");
    expect(outcome).toEqual({ kind: "answered", command });
    expect(command).toMatchObject({ state: "failed", dueAt: null, endedAt: now, answeredAt: now });
    expect(canonicalJson(command?.answer)).toBe(canonicalJson(failed));
    expect(await answer(a, "one", now + 1)).toEqual({ kind: "repeated" });
    expect(await find(b, "one")).toEqual(command);
    expect(await takeIds(a, now)).toEqual(["two"]);
    const { cursor } = await b.changes.since(null);
    await answer(a, "two", now, { ...done, status: "unknown" });
    expect(await stateOf(b, "two")).toBe("unknown");
    expect(await isWaiting(b)).toBe(false);
    expect(await b.changes.since(cursor)).toMatchObject({ deviceIds: [deviceId] });
  }),

  toCase(
    "commands: expire only before the delivery, and are unknown without an answer",
    async ([a, b]) => {
      await own(a);
      for (const id of ["taken", "left"]) await send(a, id);
      await take(a, sampleTime, null, 1);
      expect(await b.commands.endDue({ now: sampleTime + minute - 1, limit: 9 })).toBe(0);
      expect(await b.commands.endDue({ now: sampleTime + minute, limit: 9 })).toBe(1);
      expect(await stateOf(a, "taken")).toBe("unknown");
      expect(await stateOf(a, "left")).toBe("pending");
      const late = sampleTime + 10 * minute;
      expect(await take(b, late)).toEqual([]);
      expect(await find(a, "left")).toEqual(
        sampleCommand("left", { state: "expired", dueAt: null, endedAt: late }),
      );
      expect(await isWaiting(a)).toBe(false);
      // The late answer is attached.
      expect(await answer(a, "taken", late)).toMatchObject({ kind: "answered" });
      expect(await find(b, "taken")).toMatchObject({
        ...{ state: "unknown", endedAt: sampleTime + minute, answer: done, answeredAt: late },
      });
      expect(await answer(a, "left", late)).toEqual({ kind: "unknown" });
    },
  ),

  toCase("commands: an expired one is not handed out again", async ([a]) => {
    await own(a);
    await send(a, "one", { answerWithinMs: 60 * minute });
    expect(await takeIds(a)).toEqual(["one"]);
    expect(await takeIds(a, sampleTime + 10 * minute)).toEqual([]);
    expect(await stateOf(a, "one")).toBe("delivered");
    expect(await isWaiting(a)).toBe(false);
  }),

  toRace("commands: each racing request of the device gets all of them", async (handles) => {
    await own(handles[0]);
    for (const id of ["one", "two"]) await send(handles[0], id);
    for (const taken of await race(handles, 8, (store) => takeIds(store))) {
      expect(taken).toEqual(["one", "two"]);
    }
    const answers = await race(handles, 8, (store) => answer(store, "one", sampleTime + 1));
    expect(answers.filter(({ kind }) => kind === "answered")).toHaveLength(1);
  }),
];

const ending: readonly StoreCase[] = [
  toCase("commands: only a pending one can be cancelled, with its event", async ([a, b]) => {
    await own(a);
    for (const id of ["taken", "one", "two"]) await send(a, id);
    await take(a, sampleTime, null, 1);
    expect(await cancel(b, "one", sampleTime, "stranger")).toEqual({ kind: "unknown" });
    expect(await cancel(b, "none")).toEqual({ kind: "unknown" });
    expect(await cancel(b, "taken")).toEqual({ kind: "not_pending" });
    const now = sampleTime + 5;
    const cancelled = { state: "cancelled", dueAt: null, endedAt: now } as const;
    expect(await cancel(b, "one", now)).toEqual({
      kind: "cancelled",
      command: sampleCommand("one", cancelled),
    });
    expect(await cancel(a, "one", now)).toEqual({ kind: "not_pending" });
    expect(await cancel(a, "two", now, null)).toMatchObject({ kind: "cancelled" });
    expect(await takeIds(a, now)).toEqual(["taken"]);
    expect((await readLaterEvents(a, deviceId)).slice(3)).toEqual([
      { kind: "device.command_cancelled", details: { commandId: "one" } },
      { kind: "device.command_cancelled", details: { commandId: "two" } },
    ]);
  }),

  toRace("commands: one is either delivered or cancelled", async (handles) => {
    await own(handles[0]);
    for (let round = 0; round < 8; round++) {
      const id = `command-${round}`;
      await send(handles[0], id);
      const outcomes = await race<unknown>(handles, 8, (store, racer) =>
        racer === round ? cancel(store, id) : takeIds(store),
      );
      const wasCancelled = (await stateOf(handles[1], id)) === "cancelled";
      expect(outcomes.some((taken) => Array.isArray(taken) && taken.includes(id))).toBe(
        !wasCancelled,
      );
      if (!wasCancelled) await answer(handles[0], id, sampleTime);
    }
  }),

  toCase("commands: release and revocation end the open ones", async ([a, b]) => {
    const end = {
      release: () =>
        b.claims.release({
          ...{ deviceId, ownerId: "owner", spendCode: false },
          event: sampleSecurityEvent(deviceId, "device.released"),
        }),
      revoke: () =>
        b.devices.revoke({
          ...{ deviceId, now: sampleTime },
          event: sampleSecurityEvent(deviceId, "device.revoked"),
        }),
    };
    for (const run of [end.release, end.revoke]) {
      await own(a);
      for (const id of ["taken", "left"]) await send(a, id);
      await take(a, sampleTime, null, 1);
      await run();
      expect(await stateOf(a, "taken")).toBe("unknown");
      expect(await find(a, "left")).toMatchObject({ state: "cancelled", endedAt: sampleTime });
      expect(await isWaiting(a)).toBe(false);
      expect(await take(a)).toEqual([]);
      const event = sampleSecurityEvent(deviceId, "device.erased");
      await a.devices.erase({ deviceId, block: false, event });
      await own(b);
      expect(await list(a)).toEqual([]);
      await a.devices.erase({ deviceId, block: false, event });
    }
  }),

  toCase("commands: are deleted with a dropped registration", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, { registeredAt: 0 });
    await send(a, "one", {}, { ownerId: null });
    const event = { ...sampleEvent(""), kind: "device.dropped" } as const;
    await b.devices.dropUnused({ deviceId: null, registeredBefore: 1, limit: 9, event });
    await own(a);
    expect(await find(b, "one")).toBeNull();
    expect(await isWaiting(b)).toBe(false);
  }),

  toCase("commands: a device that registers again gets no delivered one again", async ([a, b]) => {
    const device = await own(a);
    for (const id of ["taken", "left"]) await send(a, id);
    await take(a, sampleTime, null, 1);
    const { profile, claimCodeHash } = sampleDevice(deviceId);
    const rotate = (isRotation: boolean, epoch: number) =>
      b.devices.rotate({
        ...{ deviceId, profile, claimCodeHash, claimCodeSpent: false, closeReEnrolment: false },
        expectedRevision: device.revision + epoch - 2,
        pending: { secretHash: "next", epoch, issuedAt: sampleTime, isRotation },
        event: sampleSecurityEvent(deviceId, "device.registered_again"),
      });
    expect(await rotate(true, 2)).toEqual({ kind: "rotated" });
    expect(await stateOf(a, "taken"), "a login returned a new secret").toBe("delivered");
    expect(await rotate(false, 3)).toEqual({ kind: "rotated" });
    expect(await stateOf(a, "taken")).toBe("unknown");
    expect(await takeIds(a)).toEqual(["left"]);
  }),

  toRace("commands: none that was sent before a release is left after it", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id, sampleOwnership());
      const event = sampleSecurityEvent(id, "device.released");
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round
          ? store.claims.release({ deviceId: id, ownerId: "owner", spendCode: false, event })
          : send(store, `command-${racer}`, { deviceId: id }),
      );
      const input = { deviceId: id, after: null, limit: 99, now: sampleTime };
      expect(await handles[1].commands.take(input)).toEqual([]);
      const page = { deviceId: id, from: 0, before: null, limit: 99 };
      for (const { state } of await handles[1].commands.list(page)) expect(state).toBe("cancelled");
    }
  }),

  toRace("commands: an erased device leaves none", async (handles) => {
    for (let round = 0; round < 8; round++) {
      await own(handles[0]);
      const event = sampleSecurityEvent(deviceId, "device.erased");
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round
          ? store.devices.erase({ deviceId, block: false, event })
          : send(store, `command-${racer}`),
      );
      expect(await list(handles[1])).toEqual([]);
    }
  }),
];

/** Cases for `CommandStore`: the delivery, the answers and the end of commands. */
export const commandDeliveryCases: readonly StoreCase[] = [...delivering, ...ending];
