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
  const rollUp = createRollUpPasses({
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
  return { left, callInTurn, readBuilds: () => builds };
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
