import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  answer,
  cancel,
  deviceId,
  find,
  isWaiting,
  list,
  own,
  sampleCommand,
  send,
  stateOf,
  take,
  takeIds,
} from "./samples/command-samples.js";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const erase = (store: GatewayStore) =>
  store.devices.erase({
    ...{ deviceId, block: false },
    event: sampleSecurityEvent(deviceId, "device.erased"),
  });

/** Cases for `CommandStore`: the end of commands without an answer. */
export const commandEndingCases: readonly StoreCase[] = [
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
      await erase(a);
      await own(b);
      expect(await list(a)).toEqual([]);
      await erase(a);
    }
  }),

  toCase("commands: a new owner gets none that was sent before", async ([a, b]) => {
    const owner = { ownerId: "owner", now: sampleTime };
    const gain = {
      claim: () =>
        b.claims.claim({
          ...{ deviceId, ...owner, claimCodeHash: "claim-code-hash" },
          event: sampleSecurityEvent(deviceId, "device.claimed"),
        }),
      assign: () =>
        b.claims.assign({
          ...{ deviceId, ...owner },
          event: sampleSecurityEvent(deviceId, "device.assigned"),
        }),
    };
    for (const run of [gain.claim, gain.assign]) {
      await registerSampleDevice(a, deviceId);
      for (const id of ["taken", "left"]) await send(a, id, {}, { ownerId: null });
      await take(a, sampleTime, null, 1);
      expect(await run()).toMatchObject({ kind: "claimed" });
      expect(await stateOf(a, "taken")).toBe("unknown");
      expect(await find(a, "left")).toMatchObject({ state: "cancelled", endedAt: sampleTime });
      expect(await isWaiting(a)).toBe(false);
      expect(await take(a)).toEqual([]);
      await send(a, "new");
      expect(await run()).toMatchObject({ kind: "already_owned" });
      expect(await takeIds(b), "claiming again ends nothing").toEqual(["new"]);
      await erase(a);
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

  toRace("commands: a claim ends exactly those that were sent before it", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round
          ? store.claims.claim({
              ...{ deviceId: id, ownerId: "owner", claimCodeHash: "claim-code-hash" },
              ...{ now: sampleTime, event: sampleSecurityEvent(id, "device.claimed") },
            })
          : send(store, `command-${racer}`, { deviceId: id }, { ownerId: null }),
      );
      const events = await readLaterEvents(handles[1], id);
      const claimedAt = events.findIndex(({ kind }) => kind === "device.claimed");
      const sentLater = events.slice(claimedAt + 1).map(({ details }) => details.commandId);
      const input = { deviceId: id, after: null, limit: 99, now: sampleTime };
      const open = await handles[1].commands.take(input);
      expect(open.map(({ commandId }) => commandId)).toEqual(sentLater);
    }
  }),

  toRace("commands: an erased device leaves none", async (handles) => {
    for (let round = 0; round < 8; round++) {
      await own(handles[0]);
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round ? erase(store) : send(store, `command-${racer}`),
      );
      expect(await list(handles[1])).toEqual([]);
    }
  }),
];
