import type { CommandAnswer } from "@device-gateway/core/store";
import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "./samples/awkward-values.js";
import {
  answer,
  deviceId,
  done,
  find,
  isWaiting,
  minute,
  own,
  sampleCommand,
  send,
  stateOf,
  take,
  takeIds,
} from "./samples/command-samples.js";
import { sampleTime } from "./samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

/** Cases for `CommandStore`: the delivery and the answers. */
export const commandDeliveryCases: readonly StoreCase[] = [
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
