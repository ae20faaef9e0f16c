import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { createCellsStore } from "./create-cells-store.js";
import { checkCells, readCellCount } from "./layout-check.js";

test("§1 a gateway with another number or order of cells, or with an empty store as a cell, does not start", async () => {
  const [home, a, b] = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  const check = (cells: readonly (typeof a)[], own = home) =>
    createCellsStore({ home: own, cells }).keepKeyCheck("key");
  expect(await check([a, b])).toBe("key");
  expect(await check([a, b])).toBe("key");
  await expect(check([a, b, createMemoryStore()])).rejects.toThrow("created for 2 cells, and 3");
  await expect(check([a])).rejects.toThrow("created for 2 cells, and 1");
  await expect(check([b, a])).rejects.toThrow("the store at place 0 is another cell");
  await expect(check([a, createMemoryStore()])).rejects.toThrow("the store at place 1 is another");
  expect(await home.keepKeyCheck("key"), "a gateway without cells").not.toBe("key");
});

test("§1 cells with devices do not start with an empty home", async () => {
  const [home, a, b] = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  const start = (own: typeof home, cells: readonly (typeof a)[]) =>
    createCellsStore({ home: own, cells }).keepKeyCheck("key");
  await start(home, [a, b]);
  const other = createMemoryStore();
  await registerSampleDevice(b, "gw-1");
  await expect(start(other, [createMemoryStore(), b])).rejects.toThrow("the home is empty");
  expect(await other.cell.keyCheck()).toBeNull();
  expect(await start(home, [a, b])).toBe("key");
});

test("§1 the database of a gateway without cells is no home and no cell", async () => {
  const [single, home, a, b] = Array.from({ length: 4 }, () => createMemoryStore()) as [
    ReturnType<typeof createMemoryStore>,
    ReturnType<typeof createMemoryStore>,
    ReturnType<typeof createMemoryStore>,
    ReturnType<typeof createMemoryStore>,
  ];
  await single.keepKeyCheck("key");
  await expect(
    createCellsStore({ home: single, cells: [a, b] }).keepKeyCheck("key"),
  ).rejects.toThrow("was created for no cells");
  await expect(createCellsStore({ home, cells: [a, single] }).keepKeyCheck("key")).rejects.toThrow(
    "the store at place 1 is another cell",
  );
});

test("§1 the layout of a gateway can be checked before it starts, without changing anything", async () => {
  const [home, a, b] = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  expect(await readCellCount(home)).toBeNull();
  await checkCells({ home, cells: [a, b] });
  expect(await a.cell.keyCheck()).toBeNull();
  await createCellsStore({ home, cells: [a, b] }).keepKeyCheck("key");
  expect(await readCellCount(home)).toBe(2);
  await checkCells({ home, cells: [a, b] });
  await expect(checkCells({ home, cells: [a] })).rejects.toThrow("created for 2 cells, and 1");
  await expect(checkCells({ home, cells: [b, a] })).rejects.toMatchObject({ place: 0 });
  const empty = createMemoryStore();
  await expect(checkCells({ home, cells: [a, empty] })).rejects.toMatchObject({ place: 1 });
  expect(await empty.cell.keyCheck()).toBeNull();
  await empty.keepKeyCheck("key of a gateway without cells");
  expect(await readCellCount(empty)).toBe(0);
});
