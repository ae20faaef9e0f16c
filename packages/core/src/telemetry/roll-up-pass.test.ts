import { expect, test } from "vitest";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { createRollUpPasses, type DeviceHour, type HoursOutcome } from "./roll-up-pass.js";

const hourMs = 3_600_000;
const now = 10_000 * hourMs;

/** Creates passes over open hours of one device. `build` says what becomes of each hour. */
function open(
  count: number,
  build: (hour: DeviceHour, mostPages: number) => "closed" | "heavy" | "changed",
) {
  const left = Array.from({ length: count }, (_, n) => ({ device: 1, hour: n * hourMs }));
  let builds = 0;
  const clock = { at: now };
  const rollUp = createRollUpPasses({
    now: () => clock.at,
    ended: async (before, limit) =>
      left.filter(({ hour }) => hour + hourMs <= before).slice(0, limit),
    async build(hours, mostPages): Promise<HoursOutcome> {
      builds += 1;
      const outcomes = hours.map((hour) => ({ hour, outcome: build(hour, mostPages) }));
      const closed = outcomes.filter(({ outcome }) => outcome === "closed");
      for (const { hour } of closed) left.splice(left.indexOf(hour), 1);
      const heavy = outcomes.filter(({ outcome }) => outcome === "heavy");
      return { closed: closed.length, heavy: heavy.map(({ hour }) => hour) };
    },
    ...{ stepHours: 16, lightPages: 1 },
  });
  /** Calls `rollUp` with these times in turn until it has nothing left for one of them. */
  async function callInTurn(...befores: number[]) {
    for (let n = 0; n < 1_000; n++) {
      const before = befores[n % befores.length] ?? now;
      if (!(await rollUp({ before, limit: 500 })).more) return;
    }
    throw new Error("The passes do not end.");
  }
  return { left, clock, callInTurn, readBuilds: () => builds };
}

test("two passes at the same time end, although many hours cannot be built", async () => {
  const { left, callInTurn } = open(100, ({ hour }) => {
    if (hour < 40 * hourMs) throw new Error("damaged");
    return "closed";
  });
  await expect(callInTurn(now, now + 1)).rejects.toThrow("damaged");
  await expect(callInTurn(now, now + 1)).rejects.toThrow("damaged");
  expect(left).toHaveLength(40);
});

test("two passes at the same time end, although hours with many records always change", async () => {
  const { left, callInTurn } = open(3, (_, mostPages) => (mostPages === 1 ? "heavy" : "changed"));
  await callInTurn(now, now + 1);
  await callInTurn(now, now + 1);
  expect(left).toHaveLength(3);
});

test("a store that does not answer ends a pass after three attempts", async () => {
  const { callInTurn, readBuilds } = open(1_000, () => {
    throw new StoreUnavailableError("The database is down.");
  });
  await expect(callInTurn(now)).rejects.toThrow(StoreUnavailableError);
  expect(readBuilds()).toBe(3);
});

/** Creates passes over hours with many records, each of which takes 25 seconds, and notes which ones are built. */
function openHeavy(count: number) {
  const built: number[] = [];
  const opened = open(count, ({ hour }, mostPages) => {
    const n = hour / hourMs;
    if (n >= count) return "closed";
    if (mostPages === 1) return "heavy";
    opened.clock.at += 25_000;
    built.push(n);
    return "closed";
  });
  return { ...opened, built };
}

test("a pass begins no heavy hour after a minute of them, and the next passes build the others in turn", async () => {
  const { left, clock, built, callInTurn } = openHeavy(7);
  const light = { device: 1, hour: 8 * hourMs };
  const rounds: number[][] = [];
  for (let round = 0; round < 5; round++) {
    left.push(light);
    await callInTurn(clock.at);
    expect(left).not.toContain(light);
    rounds.push(built.splice(0));
    // A late record opens each hour again before the next round.
    for (let n = 0; n < 7; n++) {
      if (!left.some(({ hour }) => hour === n * hourMs))
        left.unshift({ device: 1, hour: n * hourMs });
    }
  }
  expect(rounds).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 2, 1],
    [0, 5, 4],
    [3, 6, 2],
  ]);
});

test("a pass builds all heavy hours whose records may soon be deleted", async () => {
  const { left, built, callInTurn } = openHeavy(7);
  await callInTurn(now - 30 * 24 * hourMs);
  expect([left, built]).toEqual([[], [0, 1, 2, 3, 4, 5, 6]]);
});
