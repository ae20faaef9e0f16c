import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { describeStoreConformance } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { createCellsStore } from "./create-cells-store.js";

describeStoreConformance("a home and three cells in memory", {
  open: async () => {
    const [home, ...cells] = Array.from({ length: 4 }, () => createMemoryState());
    const open = () =>
      createCellsStore({ home: createMemoryStore(home), cells: cells.map(createMemoryStore) });
    return { handles: [open(), open()], dispose: async () => {} };
  },
});

test("the cell of a device gets the turn of an aggregate", async () => {
  const [home, cell] = [createMemoryStore(), createMemoryStore()];
  const aggregate = vi.spyOn(cell.telemetry, "aggregate");
  const { telemetry } = createCellsStore({ home, cells: [cell] });
  const range = { deviceId: "gw-1", from: 0, to: 1, receivedFrom: 0 };
  const selection = { names: [], prefixes: [], topLevel: true };
  const query = { ...range, intervalMs: 1, selection };
  const turn = async () => {};
  await telemetry.aggregate(query, turn);
  expect(aggregate).toHaveBeenCalledExactlyOnceWith(query, turn);
});

/** Opens two cells whose calls of `rollUp` end differently in turn. Each begins with another call of `answer`. */
function openRollUps(answer: (call: number) => { built: number; more: boolean }) {
  const home = createMemoryStore();
  const cells = [createMemoryStore(), createMemoryStore()];
  for (const [n, { telemetry }] of cells.entries()) {
    let calls = n;
    vi.spyOn(telemetry, "rollUp").mockImplementation(async () => answer(++calls));
  }
  const { telemetry } = createCellsStore({ home, cells });
  return () => telemetry.rollUp({ before: 1, limit: 9 });
}

test("a pass of roll-ups ends although the hours of two cells change in turn", async () => {
  const rollUp = openRollUps((call) => ({ built: 1, more: call % 2 === 1 }));
  expect(await rollUp()).toEqual({ built: 2, more: true });
  expect(await rollUp()).toEqual({ built: 1, more: false });
  expect(await rollUp()).toEqual({ built: 2, more: true });
});

test("a pass of roll-ups ends although hours of two cells cannot be built, and reports it", async () => {
  const rollUp = openRollUps((call) => {
    if (call % 2 === 0) throw new Error("damaged");
    return { built: 1, more: true };
  });
  expect(await rollUp()).toEqual({ built: 1, more: true });
  await expect(rollUp()).rejects.toThrow("damaged");
});
